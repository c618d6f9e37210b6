"""What the GPU itself and its libraries reach, measured by torch for the scripts here.

Prints one CSV line under its header: bytes a second of a pinned copy from the device and to it, seconds of a
direct torch.cdist (24158 x 64, double), operations a second of cuBLAS's DGEMM (8192 x 8192 x 16384).
Median of several runs after a first one.
"""

import statistics

import torch


def seconds(work, runs=5):
    """Median device time of a function, by events."""
    times = []
    for _ in range(runs + 1):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) / 1e3)
    return statistics.median(times[1:])


def main():
    bytes_copied = 2 << 30
    device = torch.empty(bytes_copied, dtype=torch.uint8, device="cuda")
    host = torch.empty(bytes_copied, dtype=torch.uint8, pin_memory=True)
    copy = seconds(lambda: host.copy_(device, non_blocking=True))
    upload = seconds(lambda: device.copy_(host, non_blocking=True))
    del device, host

    x = torch.randn(24158, 64, dtype=torch.float64, device="cuda")
    cdist = seconds(
        lambda: torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist"), runs=2
    )
    # The product of a column-major matrix, as R has it, with its own transpose.
    n, k = 8192, 16384
    a = torch.randn(k, n, dtype=torch.float64, device="cuda").T
    product = seconds(lambda: torch.mm(a, a.T))
    print("copy_bytes_per_second,upload_bytes_per_second,cdist_seconds,dgemm_flops")
    print(f"{bytes_copied / copy},{bytes_copied / upload},{cdist},{2 * n * n * k / product}")


if __name__ == "__main__":
    main()
