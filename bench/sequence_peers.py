"""Distances of sequences by packages of Python, timed for bench/sequences.R.

  python3 bench/sequence_peers.py CLOCK FILE WORK

CLOCK is wall, or cpu for the processor's seconds of all threads. WORK and FILE are
  hammingdist, pairsnp    counts of different sites of all pairs of sequences of a FASTA file, with its reading
  rapidfuzz, Levenshtein  all pairs of the texts in the lines of a file, rapidfuzz with a limit of 1
Prints two lines of CSV: names, and the version and the seconds, of the first run if it takes longer than two seconds,
else the least of five runs.
"""

import importlib.metadata
import sys
import time


def job_of(work, file):
    if work == "hammingdist":
        import hammingdist

        return lambda: hammingdist.from_fasta_large(file)
    if work == "pairsnp":
        import pairsnp

        return lambda: pairsnp.calculate_distance_matrix(*pairsnp.calculate_snp_matrix(file)[:2], "dist", False)
    texts = [line.strip() for line in open(file)]
    if work == "rapidfuzz":
        from rapidfuzz import process
        from rapidfuzz.distance import Levenshtein as levenshtein

        return lambda: process.cdist(texts, texts, scorer=levenshtein.distance, score_cutoff=1, workers=2)
    import Levenshtein

    return lambda: [Levenshtein.distance(a, b) for i, a in enumerate(texts) for b in texts[:i]]


def main(clock, file, work):
    job = job_of(work, file)
    now = time.process_time if clock == "cpu" else time.perf_counter

    def once():
        begun = now()
        job()
        return now() - begun

    seconds = once()
    if seconds <= 2:
        seconds = min(once() for _ in range(5))
    print(f"version,seconds\n{importlib.metadata.version(work)},{seconds}")


if __name__ == "__main__":
    main(*sys.argv[1:])
