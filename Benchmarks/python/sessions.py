#!/usr/bin/python3
"""Runs many real-time sessions of the Python package in one event loop, and measures their times.

Each session sends the sample at its own phase, chunk by chunk, and reads the output. Prints one line of
JSON. Times are in milliseconds:

  loop_lag    how much later than its time a chunk was fed: the lag of this process
  round_trip  from the feed of a chunk to the output of its last sample
  total       from the time of a chunk to the output of its last sample
"""

import argparse
import asyncio
import json
import resource
import sys
import time
from collections import deque
from pathlib import Path

import numpy as np

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "clients/python/src"))
import anechoic  # noqa: E402

RATE = 16000
FORMAT = anechoic.Format(RATE)
WARM_UP_SECONDS = 3.0


class Times:
    """What all sessions measured after the warm-up."""

    def __init__(self):
        self.loop_lag, self.round_trip, self.total = [], [], []
        self.late_samples = self.dropped_samples = self.concealed_samples = 0

    def summary(self, late_after):
        found = {}
        for name in ("loop_lag", "round_trip", "total"):
            values = np.array(getattr(self, name)) * 1000
            found[name] = {
                "p50": round(float(np.percentile(values, 50)), 2), "p99": round(float(np.percentile(values, 99)), 2),
                "max": round(float(values.max()), 2), "late": int((values > late_after).sum())}
        found["chunks"] = len(self.total)
        return found


async def run_session(connection, options, phase, samples, times):
    chunk = options.chunk * RATE // 1000
    microphone, reference = samples
    async with anechoic.Session(
        connection, microphone=FORMAT, reference=None if options.no_reference else FORMAT,
        chunk=options.chunk / 1000, statistics_interval=1.0,
    ) as session:
        loop = asyncio.get_running_loop()
        began = loop.time() + phase
        ends = began + WARM_UP_SECONDS + options.seconds
        fed = deque()  # The end of each chunk, its time, and when it was fed.

        async def receive():
            async for output in session:
                now = loop.time()
                end = output.first_sample + len(output.samples)
                while fed and fed[0][0] <= end:
                    _, due, at = fed.popleft()
                    if due > began + WARM_UP_SECONDS:
                        times.round_trip.append(now - at)
                        times.total.append(now - due)

        receiving = asyncio.create_task(receive())
        position = 0
        while (due := began + (position + chunk) / RATE) < ends:
            await asyncio.sleep(due - loop.time())
            now = loop.time()
            at = (round(phase * 7919 * RATE) + position) % (len(microphone) - chunk)
            position += chunk
            fed.append((position, due, now))
            if due > began + WARM_UP_SECONDS:
                times.loop_lag.append(now - due)
            await session.feed(microphone[at:at + chunk], b"" if options.no_reference else reference[at:at + chunk])
        await session.finish()
        await receiving
        times.dropped_samples += session.dropped_samples + session.lost_samples
        if session.statistics is None:
            return  # The echo server has none.
        flow = session.statistics.flow
        times.late_samples += flow.microphone_samples_late
        times.concealed_samples += flow.samples_concealed
        times.dropped_samples += flow.output_samples_dropped


async def run(options):
    samples = [anechoic.Recording.read(PROJECT / f"sample/{name}.wav").samples for name in ("microphone", "reference")]
    times = Times()
    connections = [anechoic.Connection(options.server, connect_timeout=10) for _ in range(options.connections)]
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    await asyncio.gather(*(
        run_session(connections[number % len(connections)], options, options.chunk / 1000 * number / options.sessions,
                    samples, times)
        for number in range(options.sessions)))
    after, wall = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() - began
    for connection in connections:
        await connection.close()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "sessions": options.sessions, "chunk_ms": options.chunk, **times.summary(options.late_after),
        "late_after_ms": options.late_after, "client_cores": round(cpu / wall, 2),
        "client_megabytes": after.ru_maxrss // 1024, "server_late_samples": times.late_samples,
        "concealed_samples": times.concealed_samples, "dropped_samples": times.dropped_samples}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default="127.0.0.1:50051", metavar="ADDRESS")
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--chunk", type=int, default=40, choices=range(10, 121, 10), metavar="MS", help="10 to 120")
    parser.add_argument("--seconds", type=float, default=20.0, help="after 3 s in which nothing is measured")
    parser.add_argument("--no-reference", action="store_true", help="sessions without echo cancellation")
    parser.add_argument("--late-after", type=float, default=20.0, metavar="MS", help="the lag of a late chunk")
    print(json.dumps(asyncio.run(run(parser.parse_args()))))


if __name__ == "__main__":
    main()
