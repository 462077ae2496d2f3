"""Runs live clients over a bad network, and measures what they play. scripts/test network explains the options.

The sessions are bypassed, so the server returns what it was sent. The microphone counts 1, 2, 3 up to 30,000, so each
sample of the output says when it was captured: the delay must never change, and nothing may be lost or repeated.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from link import Link, Weather
from programs import (
    PERIOD, PLUGIN, RATE, Client, Server, adapters, arguments, chosen, environment, number, prepared, runs)

SETTLING = 10.0  # seconds until each session is bypassed, if the network lets all begin at once
LEAST_RUN = RATE // 200  # samples that follow each other and are at another delay than the rest
# After the processed voice has ended, clients play the microphone as loud as the voice was, for 300 ms. A sample that
# is softer has the number of an earlier one.
RECOVERY = 3 * RATE // 10  # samples
RECOVERED = 0.01  # of the value: the most by which a recovery makes it another one


def judge(client: Client, seconds: float, settled: float) -> list[str]:
    """Prints the numbers of a client after the time at which it had settled, and returns complaints."""
    complaints = []
    samples = np.fromfile(client.output, "<i2").astype(np.int64)
    if abs(len(samples) / RATE - seconds) > 0.3:
        complaints.append(f"{len(samples) / RATE:.2f} s of output for {seconds} s of the microphone")
    at = np.arange(round(settled * RATE), len(samples))
    heard = samples[at]
    delays = (at - (heard - 1)) % PERIOD
    values, counts = np.unique(delays[heard > 0], return_counts=True)
    delay = int(values[np.argmax(counts)])
    # A client that calculates with floats may be off by one.
    away = (delays - delay + PERIOD // 2) % PERIOD - PERIOD // 2
    is_odd = np.abs(away) > 1
    # Concealed and fading samples are odd, too. Those at another delay follow each other.
    shifted = []
    for begin, end in runs(is_odd):
        steady = runs(np.diff(away[begin:end]) == 0)
        shifted += [(begin + first, last - first + 1, int(away[begin + first])) for first, last in steady
                    if last - first >= LEAST_RUN and heard[begin + first] != 0 and
                    (last - first >= RECOVERY or not 0 < away[begin + first] < RECOVERED * heard[begin + first])]
    for begin, count, by in shifted[:3]:
        complaints.append(f"{count} samples at {at[begin] / RATE:.2f} s are {by} samples later than the rest")
    odd, silent = is_odd & (heard != 0), heard == 0
    last = client.events()[-1]
    print(f"{client.name}: delay {1000 * delay / RATE:.1f} ms, constant for {1 - is_odd.mean():.2%} of the samples; "
          f"{1000 * odd.sum() / RATE:.0f} ms odd in {len(runs(odd))} places, {1000 * silent.sum() / RATE:.0f} ms of zeros, "
          f"{sum(count for _, count, _ in shifted)} samples at another delay")
    print(f"{client.name}: {json.dumps(last.get('losses', last))}")
    print(f"{client.name}: " + ", ".join(f"{count} {name}" for name, count in client.told().items()))
    if client.process.returncode != 0:
        complaints.append(f"the exit code is {client.process.returncode}")
    return [f"{client.name}: {complaint}" for complaint in complaints]


def main() -> int:
    parser = arguments("scripts/test network", __doc__)
    parser.add_argument("--seconds", type=number(float, 2 * SETTLING, 86400), default=120)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loss", type=number(float, 0, 100), default=2, help="percent of the packets")
    parser.add_argument("--delay-ms", type=number(float, 0, 60000), default=5)
    parser.add_argument("--jitter-ms", type=number(float, 0, 60000), default=200)
    parser.add_argument("--outage-ms", type=number(float, 0, 3600000), default=1000)
    parser.add_argument("--outage-every", type=number(float, 0.1, 86400), default=10, help="seconds, on average")
    parser.add_argument("--address-every", type=number(float, 0, 86400), default=0,
                        help="seconds until the clients' address changes; 0: never")
    options = parser.parse_args()
    plug_in = ["pipewire"] if PLUGIN.exists() else []
    options.clients = chosen(parser, options.client, {
        "c, 120 ms": ["--delay-ms", "120"], "c, 1000 ms": ["--delay-ms", "1000"],
        **adapters("python_live", "python_session", "bridge", "edge", *plug_in)})
    if os.geteuid() != 0 or not os.path.exists("/dev/net/tun"):
        parser.unusable("it needs root and /dev/net/tun, to create a network")
    weather = Weather(
        options.loss / 100, options.delay_ms / 1000, options.jitter_ms / 1000, 0.25, options.outage_ms / 1000,
        options.outage_every, options.address_every)
    with prepared(parser, options) as folder:
        try:
            return measure(options, weather, folder)
        except subprocess.CalledProcessError as error:
            parser.unusable(f"{' '.join(error.cmd)}: {error.stderr.decode()}")


def measure(options: argparse.Namespace, weather: Weather, folder: Path) -> int:
    with Link(("server", "client"), weather, options.seed) as link:
        address = f"{link.addresses[0]}:50051"
        (folder / "server.log").unlink(missing_ok=True)
        server = Server(address, options.programs, folder / "server.log", tuple(link.command(0)))
        common = ["--server", server.address, "--rate", str(RATE), "--seconds", str(options.seconds), "--output"]
        clients = []
        try:
            time.sleep(2)
            for name, command in options.clients.items():
                place = folder / name.replace(", ", "-").replace(" ", "")
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                if name.startswith("c,"):
                    command = [str(options.native), *command]
                client = Client(name, command, place / "output.raw", place / "events.jsonl")
                client.process = subprocess.Popen(
                    link.command(1, *command, *common, str(client.output)), stdin=subprocess.DEVNULL,
                    stdout=client.log.open("wb"), stderr=(place / "log").open("wb"), env=environment(options))
                clients.append(client)
            return result(options, link, server, clients)
        finally:
            for process in [*(client.process for client in clients), server.process]:
                if process.poll() is None:
                    process.terminate()
                process.wait(20)


def result(options: argparse.Namespace, link: Link, server: Server, clients: list[Client]) -> int:
    begin = time.monotonic()
    bypassed = 0
    while bypassed < len(clients) or time.monotonic() < begin + SETTLING - 4:
        if time.monotonic() > begin + options.seconds / 2:
            return complain([f"only {bypassed} of {len(clients)} clients have a session"])
        bypassed = server.bypass_all()
        time.sleep(0.5)
    settled = time.monotonic() - begin + 4
    time.sleep(max(0.0, begin + options.seconds - 2 - time.monotonic()))
    complaints = [f"session {each} has lost its configuration" for each in server.sessions()
                  if server.is_bypassed(each) is False]
    for client in clients:
        client.process.wait(30)
    print(f"{link.packets} packets, {link.lost_packets} of them lost, {link.outages} outages, {link.changes} changes of the address; the server started "
          f"{server.started_sessions()} sessions")
    for client in clients:
        complaints += judge(client, options.seconds, settled)
    return complain(complaints)


def complain(complaints: list[str]) -> int:
    """Prints complaints, and returns the exit code."""
    for complaint in complaints:
        print(f"FAILED: {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
