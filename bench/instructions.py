#!/usr/bin/env python3
"""Counts the instructions of the inner loops of the distance kernels, for each metric and vector instruction set.

  python3 bench/instructions.py [CC [CC for aarch64]]

Compiles src/distance/cpu/kernel_f*.c (default: gcc and aarch64-linux-gnu-gcc) with the flags of configure and
disassembles them by objdump. Writes bench/results/instructions.csv: for each kernel the pairs of points that a pass of
its loop over coordinates adds to, and the instructions per pair and coordinate: all, and those on vectors. All code of
the loop is counted, also what only rare values need, such as in the fma of SSE2. Kernels whose loop calls a function
are left out, and those of powers, whose loop has others in it.
"""

import csv
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEVELS = [("x86_64", "generic"), ("x86_64", "128"), ("x86_64", "avx2"), ("x86_64", "avx512"),
          ("aarch64", "generic"), ("aarch64", "128")]
NAMES = {("x86_64", "128"): "sse2", ("aarch64", "128"): "neon"}
CALLS = ("bl", "call", "callq")
FLAGS = ["-O2", "-ffp-contract=off", "-fopenmp-simd", "-fPIC", "-Iinst/include", "-Isrc"]

# Follows a kernel's source: an array for each step, whose size is the number of pairs of a pass.
PROBE = """
#define PAIRS(name, sums) char pairs_##name[GG_STEP_##name >= GG_STEP_power ? 4 * GG_LANES : \\
  BLOCK_COLUMNS(sums) * BLOCK_VECTORS(sums) * GG_LANES];
GG_STEPS_ANY(PAIRS)
#if !defined(GG_SINGLE)
GG_STEPS_DOUBLE(PAIRS)
#endif
"""


def tool(compiler, name):
    """Returns the program of binutils that belongs to a compiler."""
    return re.sub(r"(gcc|cc)(-[0-9]+)?$", name, compiler) if compiler.startswith("aarch64") else name


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def compile_kernels(compiler, level, real, folder):
    """Compiles one file of kernels with the probe and returns the object's path."""
    source = pathlib.Path(folder, "kernel.c")
    source.write_text(f'#include "distance/cpu/kernel_{real}.c"\n{PROBE}')
    output_of(compiler, *FLAGS, f"-DGG_FORM={level}", "-c", str(source), "-o", f"{folder}/kernel.o")
    return f"{folder}/kernel.o"


def pairs_of(compiler, file):
    """Returns the pairs of a pass, by the name of the step."""
    lines = output_of(tool(compiler, "nm"), "-S", file).splitlines()
    return {match[2]: int(match[1], 16)
            for match in (re.search(r" (\w+) \w pairs_(\w+)$", line) for line in lines) if match}


def functions_of(compiler, file):
    """Returns lists of (address, mnemonic, operands), by the name of the function."""
    functions, code = {}, []
    for line in output_of(tool(compiler, "objdump"), "-d", "--no-show-raw-insn", file).splitlines():
        begin = re.match(r"\w+ <(\w+)[^>]*>:", line)
        instruction = re.match(r" *(\w+):\t(?:(?:lock|rep|notrack|data16) )*(\S+) *(.*)", line)
        if begin:
            code = functions.setdefault(begin[1], [])
        elif instruction:
            code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return functions


def successors_of(code):
    """Returns the indices of the instructions that may follow each one; calls return."""
    index = {address: i for i, (address, _, _) in enumerate(code)}
    successors = []
    for i, (_, mnemonic, operands) in enumerate(code):
        target = re.search(r"\b(\w+) <", operands) if mnemonic[0] in "jbct" and mnemonic not in CALLS else None
        ends = mnemonic in ("jmp", "b", "ret")
        following = [] if ends or i + 1 == len(code) else [i + 1]
        if target and int(target[1], 16) in index:
            following.append(index[int(target[1], 16)])
        successors.append(following)
    return successors


def cycles_in(nodes, successors):
    """Returns the strongly connected sets of nodes that have a cycle (Kosaraju)."""
    def reach(begin, edges, seen):
        order, stack = [], [(begin, iter(edges[begin]))]
        seen.add(begin)
        while stack:
            node, rest = stack[-1]
            following = next((n for n in rest if n in nodes and n not in seen), None)
            if following is None:
                order.append(stack.pop()[0])
            else:
                seen.add(following)
                stack.append((following, iter(edges[following])))
        return order

    order, seen, back = [], set(), {node: [] for node in nodes}
    for node in nodes:
        for following in successors[node]:
            if following in nodes:
                back[following].append(node)
    for node in nodes:
        if node not in seen:
            order += reach(node, successors, seen)
    seen = set()
    sets = [set(reach(node, back, seen)) for node in reversed(order) if node not in seen]
    return [s for s in sets if len(s) > 1 or any(n in successors[n] for n in s)]


def innermost(nodes, successors):
    """Returns the sets of nodes that are loops without a loop in them."""
    found = []
    for cycle in cycles_in(nodes, successors):
        entries = {n for node in range(len(successors)) if node not in cycle for n in successors[node]} & cycle
        inside = innermost(cycle - entries, successors)
        found += inside or [cycle]
    return found


def is_on_vectors(mnemonic, operands):
    """True if an instruction is on all lanes of a vector and not on its first one alone."""
    if re.search(r"\bv\d+\.\d*[bhsd]|\bq\d+\b", operands):
        return True
    return bool(re.search(r"%[xyz]mm", operands)) and not re.search(r"(?<!broadcast)s[sd](2si|l|q)?$", mnemonic)


def count(code, pairs):
    """Returns the instructions, those on vectors, of the loop over coordinates; None if it calls functions."""
    loops = [[code[i] for i in loop] for loop in innermost(set(range(len(code))), successors_of(code))]
    if not loops:
        return None
    loop = max(loops, key=len)
    on_vectors = sum(is_on_vectors(mnemonic, operands) for _, mnemonic, operands in loop)
    calls = any(mnemonic in CALLS for _, mnemonic, _ in loop)
    return None if calls else (len(loop) / pairs, on_vectors / pairs)


def rows_of(compiler, machine, level, folder):
    for real in ("f64", "f32"):
        file = compile_kernels(compiler, level, real, folder)
        functions = functions_of(compiler, file)
        for step, pairs in pairs_of(compiler, file).items():
            if step.startswith(("power", "halves")):
                continue
            counted = count(functions.get(f"{step}_tile", [(0, "", "")]), pairs)
            if counted:
                yield [step, machine, NAMES.get((machine, level), level), real, pairs, *(f"{c:.3f}" for c in counted)]


def main(compiler="gcc", cross="aarch64-linux-gnu-gcc"):
    versions = {m: output_of(c, "--version").splitlines()[0] for m, c in (("x86_64", compiler), ("aarch64", cross))}
    with tempfile.TemporaryDirectory() as folder:
        rows = [[*row, versions[machine]] for machine, level in LEVELS
                for row in rows_of(compiler if machine == "x86_64" else cross, machine, level, folder)]
    with open(ROOT / "bench/results/instructions.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow("kernel machine instructions type pairs all_per_pair vector_per_pair compiler".split())
        table.writerows(sorted(rows, key=lambda row: (row[0], row[3])))


main(*sys.argv[1:])
