"""Notes when the machine stalls while a recording grows.

  stalls.py RECORDING

Sleeps for 2 ms again and again, with the priority of PipeWire's audio threads if that is allowed. Whenever the sleep
takes 5 ms more, prints the length of the stall in seconds and the size of the recording in bytes.
"""

import contextlib
import os
import sys
import time

PAUSE = 0.002  # seconds
STALL = 0.005  # seconds: about one cycle of PipeWire
PRIORITY = 88  # of PipeWire's module-rt


def main():
    with contextlib.suppress(PermissionError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    before = time.monotonic()
    while True:
        time.sleep(PAUSE)
        now = time.monotonic()
        if now - before - PAUSE > STALL:
            print(now - before - PAUSE, os.path.getsize(sys.argv[1]), flush=True)
        before = now


main()
