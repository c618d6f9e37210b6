#!/usr/bin/env python3
"""Measures the processor time of building the CUDA library, by architecture, and the library's size.

  python3 bench/compile.py ARCHITECTURES [LABEL]     for example portable, or "80 90"

Configures a copy of the tree with --with-cuda-arch=ARCHITECTURES, takes nvcc's commands from make, and runs the steps
of each (nvcc --dryrun) one after another. Writes bench/results/compile-LABEL.csv (default: cpu): the seconds of
processor time of the parts that are for one architecture, cicc (compute_80: from C++ to PTX) and ptxas (sm_80: from
PTX to code), of the parts for the host, and of all, with the bytes of the library.
"""

import collections
import csv
import datetime
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = "build/libgpugeo_cuda.so"


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, folder, **options):
    return subprocess.run(command, check=True, cwd=folder, text=True, **options)


def part_of(step):
    """Returns what a step of nvcc is for: an architecture, or the host."""
    arch = re.search(r"-arch[= ]*(\w+)", step)
    return arch[1] if arch and re.search(r"\b(cicc|ptxas)\b", step) else "host"


def compile_file(command, folder, seconds):
    """Runs the steps of one of nvcc's commands, and adds up their processor time."""
    words = shlex.split(command)
    listed = run([words[0], "--dryrun", *words[1:]], folder, stderr=subprocess.PIPE).stderr
    environment = dict(os.environ)
    for line in listed.splitlines():
        step = line.removeprefix("#$ ")
        setting = re.fullmatch(r"(\w+)=(.*)", step)
        if setting:
            environment[setting[1]] = setting[2].strip().strip('"')
        elif step != line and not step.startswith("rm "):
            before = processor_time()
            run(step, folder, shell=True, env=environment)
            seconds[part_of(step)] += processor_time() - before


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return f"{model[1] if model else 'unknown'} {os.cpu_count()} processors"


def main():
    architectures = sys.argv[1]
    label = sys.argv[2] if len(sys.argv) > 2 else "cpu"
    seconds = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        names = ["configure", "Makefile.in", "DESCRIPTION", "inst/include", "src"]
        run(f"tar chf - --exclude='*.o' --exclude='*.so' {' '.join(names)} | tar xf - -C {folder}", ROOT, shell=True)
        run(["./configure", "--without-r", "--without-octave", "--without-hdf5", "--without-zlib",
             "--without-expat", f"--with-cuda-arch={architectures}"], folder, stdout=subprocess.DEVNULL)
        run(["make", "CUDA_CACHE=", "build/settings", "build/cuda_sources"], folder, stdout=subprocess.DEVNULL)
        listed = run(["make", "-n", "CUDA_CACHE=", LIBRARY], folder, stdout=subprocess.PIPE).stdout
        for command in listed.splitlines():
            if re.match(r"\S*nvcc .* -c ", command):
                pathlib.Path(folder, shlex.split(command)[-1]).parent.mkdir(parents=True, exist_ok=True)
                compile_file(command, folder, seconds)
        before = processor_time()
        run(["make", "CUDA_CACHE=", LIBRARY], folder, stdout=subprocess.DEVNULL)
        seconds["host"] += processor_time() - before
        size = pathlib.Path(folder, LIBRARY).stat().st_size
    rows = sorted(seconds.items()) + [("all", sum(seconds.values()))]
    with open(ROOT / f"bench/results/compile-{label}.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["what", "seconds", "bytes", "machine", "date", "command"])
        for what, spent in rows:
            table.writerow([what, f"{spent:.1f}", size if what == "all" else "", machine(), datetime.date.today(),
                            f'python3 bench/compile.py "{architectures}" {label}'])
            print(what, f"{spent:.1f}")
    print(size, "bytes")


main()
