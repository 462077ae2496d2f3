"""Kills the server of live clients, and measures when they play processed sound again. scripts/test restarts explains
the options.

The sessions are bypassed, so the server returns what it was sent, and a client without a session plays silence. The
microphone counts 1, 2, 3 up to 30,000, so each sample of the output says when it was captured. That sessions are still
bypassed after a restart shows that the configuration outlives it.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
from programs import (
    PERIOD, PLUGIN, RATE, Client, Server, adapters, arguments, chosen, environment, number, prepared)

SETTLING = 10.0  # seconds until the server is killed for the first time
WORKING = 8.0  # seconds from an answer of the server until it is killed again
PLACED = ("edge", "pipewire")  # Their adapters place each sample at the time when it was captured.
STEADY = 0.3  # seconds of processed samples that follow each other
SILENT = -PERIOD
LONGEST = 1.0  # seconds until processed sound is heard again


class TimedClient(Client):
    """A client whose events are noted with their time."""

    def listen(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        self.began = 0.0
        with self.log.open("w") as log:
            for line in self.process.stdout:
                if '"began"' in line and not self.began:
                    self.began = time.monotonic()
                log.write(line)

    def delays(self) -> np.ndarray:
        """Returns the delay of each sample in samples, or `SILENT`."""
        samples = np.fromfile(self.output, "<i2").astype(np.int64)
        return np.where(samples > 0, (np.arange(len(samples)) - (samples - 1)) % PERIOD, SILENT)


def usual_delay(delays: np.ndarray) -> int:
    values, counts = np.unique(delays[delays >= 0], return_counts=True)
    return int(values[np.argmax(counts)]) if len(values) else SILENT


def steady_from(delays: np.ndarray, delay: int) -> int | None:
    """Returns the index from which samples have this delay for `STEADY` seconds."""
    wanted = round(STEADY * RATE)
    right = np.concatenate(([0], np.cumsum(np.abs(delays - delay) <= 1)))
    steady = np.flatnonzero(right[wanted:] - right[:-wanted] == wanted)
    return int(steady[0]) if len(steady) else None


def free_address() -> str:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{listener.getsockname()[1]}"


def answered(address: str) -> float:
    """Returns when the server takes connections."""
    host, port = address.split(":")
    while True:
        try:
            socket.create_connection((host, int(port)), 1).close()
            return time.monotonic()
        except OSError:
            time.sleep(0.005)


def started(programs: Path, folder: Path, address: str) -> tuple[Server, float]:
    server = Server(address, programs, folder / "server.log")
    return server, answered(address)


def judge(client: TimedClient, restarts: list[tuple[float, float, float]]) -> list[str]:
    """Prints a line for each restart, and returns complaints."""
    complaints = []
    delays = client.delays()

    def part(begin: float, end: float) -> np.ndarray:
        return delays[max(0, round((begin - client.began) * RATE)):max(0, round((end - client.began) * RATE))]

    first = usual_delay(part(restarts[0][1] - 4, restarts[0][1]))
    for away, _, answer in restarts:
        after = part(answer, answer + WORKING)
        again = steady_from(after, first)
        later = usual_delay(after[len(after) // 2:])
        wait = "never" if again is None else f"after {again / RATE:.2f} s"
        kept = "–" if client.name in PLACED else f"{1000 * first / RATE:.1f}, {1000 * later / RATE:.1f}"
        print(f"| {client.name} | {away:g} | {wait} | {kept} |")
        if again is None or again > LONGEST * RATE or abs(later - first) > 1:
            complaints.append(f"{client.name}: processed again {wait} where the server was away for {away:g} s")
    return complaints


def main() -> int:
    parser = arguments("scripts/test restarts", __doc__)
    parser.add_argument("--away", type=number(float, 0, 3600), action="append", metavar="SECONDS",
                        help="seconds without a server; may be repeated")
    options = parser.parse_args()
    plug_in = ["pipewire"] if PLUGIN.exists() else []
    options.clients = chosen(
        parser, options.client, adapters("native", "python_live", "bridge", "edge", *plug_in))
    with prepared(parser, options) as folder:
        return measure(options, options.away or [0.3, 2.0, 20.0], folder)


def measure(options: argparse.Namespace, absences: list[float], folder: Path) -> int:
    address = free_address()
    programs = options.programs
    server, _ = started(programs, folder, address)
    seconds = SETTLING + sum(absences) + (WORKING + 1) * len(absences) + 2
    clients: list[TimedClient] = []
    restarts = []
    try:
        for name, command in options.clients.items():
            client = TimedClient(name, command, folder / f"{name}.raw", folder / f"{name}.jsonl")
            client.process = subprocess.Popen(
                [*command, "--server", address, "--rate", str(RATE), "--seconds", str(seconds), "--fallback", "silence",
                 "--output", str(client.output)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=(folder / f"{name}.log").open("wb"), text=True,
                env=environment(options))
            client.listen()
            clients.append(client)
        begin = time.monotonic()
        while time.monotonic() < begin + SETTLING - 4:
            server.bypass_all()
            time.sleep(0.5)
        time.sleep(4)
        for away in absences:
            server.process.kill()
            killed = time.monotonic()
            server.process.wait()
            time.sleep(max(0.0, killed + away - time.monotonic()))
            server, answer = started(programs, folder, address)
            restarts.append((away, killed, answer))
            time.sleep(max(0.0, answer + WORKING - time.monotonic()))
        for client in clients:
            client.process.wait(30)
    finally:
        for process in [*(client.process for client in clients), server.process]:
            if process.poll() is None:
                process.terminate()
            process.wait(20)
    print("| client | server away, s | processed sound again | delay before and after, ms |\n|---|---|---|---|")
    complaints = [complaint for client in clients for complaint in judge(client, restarts)]
    for complaint in complaints:
        print(f"FAILED: {complaint}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
