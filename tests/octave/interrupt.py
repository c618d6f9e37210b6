"""Ctrl-C during a long call, in an interactive Octave on a terminal of its own.

    python3 interrupt.py OCTAVE FOLDER...

Starts OCTAVE with FOLDER... on its path, starts a long call, waits for its progress line, presses
Ctrl-C, and looks whether the next statement runs and whether the call's memory is back. The calls
would take many minutes, and look for Ctrl-C at every poll. Prints a line for each check, "passed: ..."
or "FAILED: ...".
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 900  # seconds, so that what hangs ends


class Session:
    """An Octave that types and reads on a terminal."""

    def __init__(self, octave, folders):
        self.text = ""  # written by Octave, not looked at yet
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ["TERM"] = "dumb"
            os.environ["GPUGEO_TEST_POLLS"] = "1"
            os.execvp(octave, [octave, "--no-gui", "--norc", "--quiet", "--interactive",
                               "--no-line-editing"])
        wide = struct.pack("HHHH", 50, 400, 0, 0)  # so that no line is broken where it is echoed
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, wide)
        for folder in folders:
            self.type(f'addpath ("{folder}");')

    def type(self, line):
        """Types a line. The terminal echoes it, so what it prints must not stand in it."""
        os.write(self.terminal, line.encode() + b"\n")

    def press_control_c(self):
        os.write(self.terminal, b"\x03")

    def wait_for(self, pattern):
        """The next match of pattern in what Octave writes, or None."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = re.search(pattern, self.text)
            if found:
                self.text = self.text[found.end():]
                return found
            if not select.select([self.terminal], [], [], 0.1)[0]:
                continue
            try:
                self.text += os.read(self.terminal, 65536).decode(errors="replace")
            except OSError:
                return None  # Octave has ended
        return None

    def resident(self):
        """Resident memory in KiB, as Octave itself tells it; NaN when it does not answer."""
        self.type('printf ("resident=%s;\\n", regexp (fileread ("/proc/self/status"), '
                  '"VmRSS:\\\\s*(\\\\d+)", "tokens"){1}{1});')
        found = self.wait_for(r"resident=(\d+);")
        return float(found.group(1) if found else "nan")

    def end(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


def check(name, holds):
    print(("passed: " if holds else "FAILED: ") + name, flush=True)
    return holds


def check_call(session, name, call, shows_progress, prints=None):
    """`call` works on the x of the session and leaves out the semicolon. It prints what `prints` matches
    when it is where Ctrl-C is to be pressed."""
    before = session.resident()
    session.type(f'd = 1; printf ("%s begun\\n", "has"); d = {call};')
    check(f"{name}: the call begins", session.wait_for("has begun") is not None)
    if shows_progress:
        shown = session.wait_for(r"\[#* *\] +\d+%")
        check(f"{name}: the progress line is there", shown is not None)
    if prints:
        check(f"{name}: it prints", session.wait_for(prints) is not None)
    session.press_control_c()
    session.type('printf ("%s goes on, d = %d\\n", "Octave", d);')
    if check(f"{name}: the next statement runs", session.wait_for("Octave goes on, d = 1") is not None):
        after = session.resident()
        check(f"{name}: its memory is free again", after - before < 16 * 1024)


def main():
    session = Session(sys.argv[1], sys.argv[2:])
    try:
        session.type('x = rand (4000, 4000); gpu_pdist (x(1:100,:)); printf ("%s made\\n", "x");')
        check("the input is made", session.wait_for("x made") is not None)
        check_call(session, "gpu_pdist",
                   'gpu_pdist (x, "minkowski", 2.5, "threads", 1, "backend", "cpu")', True)
        check_call(session, "gpu_mdscale",
                   'gpu_mdscale (x(:,1:3), 2, "metric", "euclidean", "threads", 1, "Start", "random", '
                   '"Criterion", "metricstress", "relax", false, "backend", "cpu", '
                   '"Options", struct ("TolFun", 0, "MaxIter", 1e6))', True)
        session.type('x(1:3:end) = NaN; printf ("%s made\\n", "holes");')
        check("holes are made", session.wait_for("holes made") is not None)
        check_call(session, "gpu_pdist2",
                   'gpu_pdist2 (x, x, "minkowski", 2.5, "threads", 1, "backend", "cpu", '
                   '"progress", false)', False)
        check_call(session, "gpu_corr",
                   'gpu_corr (x, "type", "Spearman", "rows", "pairwise", "threads", 1, '
                   '"backend", "cpu")', True)
        session.type('d = gpu_dgp_instance (40, 1); e = [1:40; 2:40 1; d'"'"'; d'"'"']'"'"'; '
                     'e(1,4) += 2^-42; printf ("%s made\\n", "cycles");')
        check("cycles are made", session.wait_for("cycles made") is not None)
        check_call(session, "gpu_dgp",
                   'gpu_dgp (e(:,3), "tol", 0, "algorithm", "branch-and-prune", "prune", false, '
                   '"max_solutions", 0, "threads", 1).count', True)
        check_call(session, "gpu_dgp_graph", 'gpu_dgp_graph (e, "tol", 0, "threads", 2).count', True)
        check_call(session, "gpu_layout, in its callback",
                   'gpu_layout (e(:,1:2), "callback_every", 1, "callback", '
                   '@(varargin) eval ("fprintf (stderr, \\"%s the callback\\", \\"in\\"); pause (900)"))', False,
                   "in the callback")
        session.type('clear x; q = rand (5e6, 2); p = rand (3e5, 3); printf ("%s made\\n", "points");')
        check("points are made", session.wait_for("points made") is not None)
        slow = '1, "algorithm", "usual", "threads", 1, "backend", "cpu"'
        check_call(session, "gpu_closest_pair",
                   'gpu_closest_pair (q, "algorithm", "sweep-v0", "threads", 1, "backend", "cpu")', False)
        check_call(session, "gpu_collisions", f'gpu_collisions (p, {slow})', True)
        session.type(f'future = gpu_collisions_launch (p, {slow});')
        check_call(session, "gpu_collisions_fetch", 'gpu_collisions_fetch (future)', True)
        session.type('disp (future); clear future; printf ("%s goes on\\n", "Octave");')
        check("the work goes on when the waiting was interrupted",
              session.wait_for("collisions, running") is not None)
        check("dropped while running", session.wait_for("Octave goes on") is not None)
    finally:
        session.end()


main()
