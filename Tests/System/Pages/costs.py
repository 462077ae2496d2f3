"""Measures what the live page costs a server and a browser without GPU: processor time with and without
an open page."""

import argparse
import os
import statistics
import time
from pathlib import Path

from browser import Browser
from calls import Call, page_of
from service import Server

TICKS = os.sysconf("SC_CLK_TCK")


def times():
    """Returns the parent and the processor time so far, in seconds, of every process by its id, with that of
    its children that have ended."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # The process has ended.
        found[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / TICKS
    return found


def processor_time(root, found):
    """Returns the processor time of a process and of all that it has started, in seconds."""
    return found[root][1] + sum(
        processor_time(child, found) for child, (parent, _) in found.items() if parent == root)


def shares(processes, seconds):
    """Returns the share of a core, in percent, that each of some processes takes for a time."""
    began, before = time.monotonic(), times()
    time.sleep(seconds)
    after, elapsed = times(), time.monotonic() - began
    return [100 * (processor_time(p.pid, after) - processor_time(p.pid, before)) / elapsed
            for p in processes]


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
        processes = [server.process, browser.process]
        for _ in range(options.rounds):
            without.append(shares(processes, options.seconds))
            page = browser.open(address, width=1360, height=900)
            page.wait(f"document.querySelectorAll('#rows tr').length === {options.sessions}")
            listed.append(shares(processes, options.seconds))
            page.evaluate("location.hash = 'sessions/watched'")
            page.wait("document.querySelector('.level b').innerText.includes('dBFS')")
            watched.append(shares(processes, options.seconds))
            count = page.evaluate("document.querySelector('#session').view.minute.history.points.length")
            page.close()
    for call in calls:
        call.end()
    server.stop()
    rates = count / min(60, options.seconds)
    print("| page | server, % of a core | more than without | browser, % of a core |")
    print("|---|---|---|---|")
    for name, found in (
            ("none", without), (f"list of {options.sessions} sessions", listed),
            (f"the list, and one session watched at {rates:.1f} Hz", watched)):
        median, browsing = (statistics.median(each) for each in zip(*found))
        difference = statistics.median(a[0] - b[0] for a, b in zip(found, without))
        print(f"| {name} | {median:.2f} | {difference:.2f} | {browsing:.1f} |")
    base = sorted(share for share, _ in without)
    print(f"\n{options.rounds} rounds of {options.seconds:.0f} s; medians. Without: "
          f"{statistics.median(base):.2f} %, from {base[0]:.2f} to {base[-1]:.2f}.")


if __name__ == "__main__":
    main()
