"""Measures what the live page costs a server: processor time with and without an open page."""

import argparse
import os
import statistics
import time
from pathlib import Path

from browser import Browser
from calls import Call, page_of
from service import Server

TICKS = os.sysconf("SC_CLK_TCK")


def processor_time(server):
    """Returns the processor time of a server's process so far, in seconds."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def share(server, seconds):
    """Returns the share of a core, in percent, that a server takes for a time."""
    began, before = time.monotonic(), processor_time(server)
    time.sleep(seconds)
    return 100 * (processor_time(server) - before) / (time.monotonic() - began)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    server = Server(options.server, "--http-listen", "127.0.0.1:0", "--frame-budget", "0")
    address = page_of(server)
    calls = [Call(server.address, "watched")]
    calls += [Call(server.address, f"call-{number:03}", silent=True, room=f"room {number}")
              for number in range(1, options.sessions)]
    without, listed, watched = [], [], []
    with Browser() as browser:
        for _ in range(options.rounds):
            without.append(share(server, options.seconds))
            page = browser.open(address, width=1360, height=900)
            page.wait(f"document.querySelectorAll('#rows tr').length === {options.sessions}")
            listed.append(share(server, options.seconds))
            page.evaluate("location.hash = 'sessions/watched'")
            page.wait("document.querySelector('.level b').innerText.includes('dBFS')")
            watched.append(share(server, options.seconds))
            count = page.evaluate("document.querySelector('#session').view.history.points.length")
            page.close()
    for call in calls:
        call.end()
    server.stop()
    rates = count / min(60, options.seconds)
    base = statistics.median(without)
    print("| page | processor time, % of a core | more than without |")
    print("|---|---|---|")
    for name, shares in (
            ("none", without), (f"list of {options.sessions} sessions", listed),
            (f"the list, and one session watched at {rates:.1f} Hz", watched)):
        median = statistics.median(shares)
        difference = statistics.median(a - b for a, b in zip(shares, without))
        print(f"| {name} | {median:.2f} | {difference:.2f} |")
    print(f"\n{options.rounds} rounds of {options.seconds:.0f} s; medians. Without: {base:.2f} %, from "
          f"{min(without):.2f} to {max(without):.2f}.")


if __name__ == "__main__":
    main()
