"""Prints the results that scripts/bench has gathered in a folder as a table in Markdown.

A file there has a line of JSON for each repeat of a measurement. Of each value the median counts.
"""

import json
import statistics
import sys
from pathlib import Path

CPU_GOAL = 1.15  # times the C++ echo server
LATENCY_GOAL = 1.5  # the same
SILENCE_GOAL_MS = 10  # a frame; libgrpc's own threads may sleep through ten
SERVICE_GOAL = 1.2  # times C++ echo + bare engine
SESSION_GOAL = 1.05  # times a session of microphone and reference alone
OPUS_GOAL_US = 60  # more than a session in PCM
SPATIAL_GOAL_US = 1000  # of 16 sources, more than mixing them down

folder = Path(sys.argv[1])
short_of_load = []


def median(name, value):
    lines = (folder / f"{name}.json").read_text().splitlines()
    runs = [json.loads(line) for line in lines]
    if value == "cpu_us_per_frame" and any(run.get("load_reached", 1) < 0.95 for run in runs):
        short_of_load.append(name)
    return statistics.median(run[value] for run in runs)


def print_row(case, baseline, ours, goal=None, digits=1, note=""):
    ratio = ours / baseline
    verdict = "–" if goal is None else f"≤ {goal}" + (", missed" if ratio > goal else "")
    print(f"| {case} | {baseline:.{digits}f}{note} | {ours:.{digits}f} | {ratio:.2f} | {verdict} |")


def plural(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


print("| case | baseline | ours | ratio | goal |")
print("|---|---|---|---|---|")
for queues in (1, 2):
    for streams in (50, 200):
        name = f"transport.{queues}.{streams}"
        case = f"echo, {plural(queues, 'queue')}, {streams} streams"
        cpu = [median(f"{name}.{side}", "cpu_us_per_frame") for side in ("baseline", "ours")]
        latency = [median(f"{name}.{side}", "median_us") for side in ("baseline", "ours")]
        print_row(f"{case}: CPU per frame, µs", *cpu, CPU_GOAL)
        print_row(f"{case}: median round trip, µs", *latency, LATENCY_GOAL, digits=0)
for queues in (1, 2):
    baseline, ours = (
        median(f"transport.{queues}.50.{side}", "after_silence_us") / 1000
        for side in ("baseline", "ours")
    )
    goal = f"≤ {SILENCE_GOAL_MS} ms" + (", missed" if ours > SILENCE_GOAL_MS else "")
    case = f"echo, {plural(queues, 'queue')}: slowest first round trip after 5 s of silence, ms"
    print(f"| {case} | {baseline:.2f} | {ours:.2f} | – | {goal} |")
for rate in (16000, 48000):
    engine = median(f"engine.{rate}", "cpu_us_per_frame")
    for threads in (1, 2):
        echo, both, ours = (
            median(f"service.{rate}.{threads}.{side}", "cpu_us_per_frame")
            for side in ("echo", "both", "ours")
        )
        case = f"service, {rate // 1000} kHz, {plural(threads, 'thread')}, 50 streams"
        print_row(
            f"{case}: CPU per frame, µs", echo + engine, ours,
            SERVICE_GOAL if rate == 16000 else None,
            note=f" = {echo:.1f} echo + {engine:.1f} engine",
        )
        print_row(f"{case}: the same, echo and engine in one server", both, ours)
for rate in (16000, 48000):
    plain, muted, full = (
        median(f"session.{rate}", f"{kind}_us") for kind in ("plain", "muted", "full")
    )
    case = f"session by itself, {rate // 1000} kHz: CPU per frame, µs, "
    print_row(case + "muted, with voice activity", plain, muted, SESSION_GOAL)
    opus, mixed, spatial = (
        median(f"session.{rate}", f"{kind}_us") for kind in ("opus", "mixed", "spatial")
    )
    for name, baseline, ours, goal in (
        ("Opus in and out, beside PCM", plain, opus, OPUS_GOAL_US),
        ("16 far ends for both ears, beside the same mixed down", mixed, spatial, SPATIAL_GOAL_US),
    ):
        more = ours - baseline
        verdict = f"≤ {goal} µs more" + (", missed" if more > goal else "")
        print(f"| {case}{name} | {baseline:.1f} | {ours:.1f} | {ours / baseline:.2f} | {verdict} |")
    print_row(case + "all of it: voice activity of both sides, playback, ducking", plain, full, SESSION_GOAL)
for rate in (16000, 48000):
    for sessions in (1, 50):
        engine, session = (
            median(f"{kind}.{rate}.{sessions}", "cpu_us_per_frame")
            for kind in ("engines", "sessions")
        )
        case = f"in a loop, {rate // 1000} kHz, {plural(sessions, 'session')}: CPU per frame, µs"
        print_row(f"{case}, beside bare engines", engine, session)
for share in ("p50", "p99"):
    print_row(
        f"round trip of a frame while 1,000 watch, {share}, µs",
        *(median("watchers", f"{kind}_{share}_us") for kind in ("unwatched", "watched")),
        digits=0,
    )
if short_of_load:
    print(f"\nToo slow for the load, so not to be trusted: {', '.join(short_of_load)}.")
