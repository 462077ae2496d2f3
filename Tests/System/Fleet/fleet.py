"""Servers behind HAProxy, in network namespaces: one drains, one is killed, one is added.

Each client keeps its call open: it starts a new session when the server drains, ends its session or is
lost. Half of the clients leave a server that drains, the others wait for the end. An operator
reads and mutes every session through the proxy all the time. The test fails if

- a server gets no session, or the sessions are not all back after each step,
- a control call does not find a session that runs,
- samples are missing within a session,
- the draining server does not exit with 0.
"""

import argparse
import asyncio
import collections
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from client import MediaClient, Operator, sessions_of
from network import Network
from server import server_command

SERVERS = ["a", "b", "c", "d"]
# Seconds that only end a test that has failed.
LIMIT = 120
DRAIN_SECONDS = 6
CONFIGURATION = Path(__file__).parents[3] / "deploy/haproxy/haproxy.cfg"


class Fleet:
    def __init__(self, network, options):
        self.network = network
        self.options = options
        self.programs = {}
        self.logs = {}
        self.clients = []
        self.proxy = f"{network.addresses['proxy']}:50051"

    def log(self, name):
        path = Path(self.options.work) / f"{name}.log"
        self.logs[name] = path
        return path.open("a")

    def start_server(self, name):
        self.programs[name] = self.network.start(
            name,
            server_command(self.options.bin, threads=1, drain_time=DRAIN_SECONDS), self.log(name))

    def start_proxy(self):
        text = CONFIGURATION.read_text()
        for number, name in enumerate(SERVERS):
            text = text.replace(f"192.0.2.{11 + number}:", f"{self.network.addresses[name]}:")
        if "--http-listen" not in server_command(self.options.bin):
            say("the servers have no HTTP port: HAProxy checks only whether they accept connections")
            text = re.sub(r"(?m)^  (option httpchk|http-check ).*\n", "", text)
            text = text.replace("check port 50053", "check")
        path = Path(self.options.work) / "haproxy.cfg"
        path.write_text(text)
        self.programs["proxy"] = self.network.start(
            "proxy", ["/usr/sbin/haproxy", "-db", "-f", str(path)], self.log("proxy"))

    async def until_listening(self, timeout=20):
        """Waits until the proxy accepts connections."""
        limit = time.monotonic() + timeout
        while True:
            try:
                _, writer = await asyncio.open_connection(self.network.addresses["proxy"], 50051)
                return writer.close()
            except OSError:
                if time.monotonic() > limit or self.programs["proxy"].poll() is not None:
                    sys.exit(f"fleet: HAProxy does not listen:\n{self.logs['proxy'].read_text()}")
                await asyncio.sleep(0.1)

    def address(self, name):
        return f"{self.network.addresses[name]}:50051"

    async def counts(self, names):
        return {name: await sessions_of(self.address(name)) for name in names}

    async def until_serving(self, name, timeout=20):
        """Waits until a server answers, and until the proxy has found that it does."""
        limit = time.monotonic() + timeout
        while True:
            try:
                return await sessions_of(self.address(name))
            except Exception:
                if time.monotonic() > limit or self.programs[name].poll() is not None:
                    sys.exit(f"fleet: {name} does not serve:\n{self.logs[name].read_text()[-2000:]}")
                await asyncio.sleep(0.1)

    async def settle(self, names, count, what, timeout=LIMIT):
        """Waits until these servers run all sessions. Returns the numbers of their sessions."""
        limit = time.monotonic() + timeout
        while True:
            counts = await self.counts(names)
            if sum(counts.values()) == count:
                return counts
            if time.monotonic() > limit:
                sys.exit(f"fleet: {count} sessions {what} within {timeout} s did not come: {counts}")
            await asyncio.sleep(0.1)

    async def command(self, *arguments):
        """Runs `anechoic` against the proxy, in the clients' namespace."""
        process = await asyncio.create_subprocess_exec(
            f"{self.options.bin}/anechoic", *arguments, "--server", self.proxy,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        output, _ = await process.communicate()
        return process.returncode, output.decode()

    def stop(self):
        for program in self.programs.values():
            if program.poll() is None:
                program.kill()
                program.wait()


async def until(what, condition, timeout=LIMIT):
    limit = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > limit:
            sys.exit(f"fleet: {what} within {timeout} s did not come")
        await asyncio.sleep(0.05)


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def words(counts):
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


def report_moves(clients, before, what):
    moves = [move for client, seen in zip(clients, before) for move in client.moves[seen:]]
    gaps = sorted(gap for _, gap in moves)
    causes = collections.Counter(cause for cause, _ in moves)
    if not gaps:
        return say(f"{what}: no client moved")
    say(f"{what}: {len(gaps)} clients moved ({dict(causes)}); seconds without audio: "
        f"median {gaps[len(gaps) // 2]:.2f}, longest {gaps[-1]:.2f}")


async def watched(fleet, count):
    """Runs the steps. A step that fails ends the clients too, which otherwise start new sessions."""
    try:
        return await run(fleet, count)
    finally:
        for client in fleet.clients:
            client.isOver = True


async def run(fleet, count):
    checks = []

    def check(condition, text):
        checks.append(bool(condition))
        say(("ok: " if condition else "FAILED: ") + text)

    for name in "abc":
        fleet.start_server(name)
    for name in "abc":
        await fleet.until_serving(name)
    fleet.start_proxy()
    await fleet.until_listening()
    operator = Operator(fleet.proxy)
    clients = [MediaClient(fleet.proxy, f"call{number}", number % 2 == 0) for number in range(count)]
    fleet.clients = clients
    tasks = [asyncio.create_task(client.run()) for client in clients]
    over = False

    async def operate():
        while not over:
            for client in clients:
                await operator.visit(client)
            await asyncio.sleep(0.2)

    def all_run():
        return all(client.session for client in clients)

    spread = await fleet.settle("abc", count, "at the start")
    await until("a session of every client", all_run)
    operating = asyncio.create_task(operate())
    check(min(spread.values()) > 0,
          f"{count} sessions spread over three servers ({words(spread)})")
    code, output = await fleet.command("sessions", "show", clients[0].session)
    check(code == 0, f"anechoic finds a session through the proxy ({output.splitlines()[:1]})")
    code, output = await fleet.command("sessions", "mute", clients[1].session)
    check(code == 0, f"anechoic mutes a session through the proxy ({output.strip()})")

    # One server drains.
    seen = [len(client.moves) for client in clients]
    began = time.monotonic()
    # ip netns exec replaces itself by the program, so that the signal reaches the server.
    fleet.programs["a"].send_signal(signal.SIGTERM)
    moved = spread["a"]
    await until("the exit of a", lambda: fleet.programs["a"].poll() is not None)
    check(fleet.programs["a"].returncode == 0,
          f"a drained and exited with {fleet.programs['a'].returncode} after "
          f"{time.monotonic() - began:.1f} s")
    spread = await fleet.settle("bc", count, "after the drain")
    await until("audio of every client that moved",
                lambda: sum(len(client.moves) for client in clients) - sum(seen) >= moved)
    check(True, f"{count} sessions after the drain ({words(spread)})")
    report_moves(clients, seen, f"drain of a with {moved} sessions")

    # One server is killed.
    seen = [len(client.moves) for client in clients]
    fleet.programs["b"].kill()
    fleet.programs["b"].wait()
    moved = spread["b"]
    spread = await fleet.settle("c", count, "after the loss")
    await until("audio of every client that moved",
                lambda: sum(len(client.moves) for client in clients) - sum(seen) >= moved)
    check(True, f"{count} sessions after the loss of b ({words(spread)})")
    report_moves(clients, seen, f"loss of b with {moved} sessions")

    # One server is added, and one comes back. Running sessions stay; new ones use all servers.
    fleet.start_server("d")
    fleet.start_server("a")
    for name in "da":
        await fleet.until_serving(name)
    await asyncio.sleep(4)  # Two health checks, and the rest of the drain's memory.
    found = operator.found
    await until("another visit to every session", lambda: operator.found >= found + 2 * count)
    late = [MediaClient(fleet.proxy, f"late{number}", True) for number in range(count // 2)]
    tasks += [asyncio.create_task(client.run()) for client in late]
    clients += late
    spread = await fleet.settle("acd", len(clients), "after the addition")
    await until("a session of every late client", all_run)
    check(min(spread.values()) > 0,
          f"{len(late)} more sessions use the added servers ({words(spread)})")
    found = operator.found
    await until("another visit to every session", lambda: operator.found >= found + 2 * len(clients))

    over = True
    await operating
    for client in clients:
        client.isOver = True
    await asyncio.wait(tasks, timeout=10)
    check(not operator.lost, f"{operator.found} control calls found their sessions, "
          f"{len(operator.lost)} did not {operator.lost[:3]}")
    holes = sum(client.holes for client in clients)
    check(holes == 0, f"{holes} samples are missing within sessions")
    refusals = collections.Counter(
        re.sub(r"[0-9.:]+", "#", text) for client in clients for text in client.refusals)
    say(f"refused starts, tried again: {dict(refusals)}")
    return all(checks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--sessions", type=int, default=60)
    options = parser.parse_args()
    with Network(["proxy", *SERVERS, "clients"]) as network:
        network.enter("clients")
        fleet = Fleet(network, options)
        try:
            if not asyncio.run(watched(fleet, options.sessions)):
                sys.exit(1)
        finally:
            fleet.stop()


if __name__ == "__main__":
    main()
