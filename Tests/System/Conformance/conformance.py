"""Plays test vectors against clients over real sockets, and judges what they send, tell and play.

Prints a line for each vector and client. The exit code is 1 if one fails, or if many need another try without need.

The variables ANECHOIC_EDGE, ANECHOIC_BRIDGE, ANECHOIC, ANECHOIC_CONFORMANCE_CLIENT and ANECHOIC_PLUGIN name programs
that were built elsewhere, and ANECHOIC_SERVER a server in whose folder they are.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import fnmatch
import itertools
import json
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from clients import CLIENTS, KINDS, PROJECT, Client
from disturbance import Disturbance
from door_server import DoorServer
from judge import Heard, Judge
from page_server import PageServer
from server import TICKET, Server
from slots import Slots
from trust import Trust

sys.path.insert(0, str(PROJECT / "scripts"))
from lib.usage import Arguments, number  # noqa: E402

VECTORS = PROJECT / "proto/conformance"
HOSTED_ID = "conformance"
"""The id of the session that a client without a microphone plays or watches."""
START_SECONDS = 30.0
"""The time in which a client begins, on a busy machine."""
ABILITIES = frozenset().union(*(each.can for each in CLIENTS))
"""All abilities that a client's program can have."""
END_SECONDS = 15.0
"""The time in which a client ends after its microphone."""
REASONS = {
    "player": "it needs a microphone, and the client only plays the session of another device",
    "watcher": "it needs a media client, and the client only watches the sessions of others",
}
"""Why vectors do not apply to kinds of clients that send no audio, unless they say so themselves."""
ONLY = {
    "player": "it is for clients that play the session of another device",
    "watcher": "it is for clients that watch the sessions of others",
}
"""Why vectors for such clients do not apply to the others."""
MOST_TRIED_AGAIN, SHARE_TRIED_AGAIN = 2, 0.02
"""How many vectors may need another try: so many, and this share of all."""
MOST_TRIES = 6
"""The tries of a vector whose every try was disturbed."""
AGAIN_SECONDS = 600.0
"""The time for all tries after the first."""
BESIDE_EACH_CORE = 3
"""The most runs beside each other for each core. A run takes a fifth of a core, and a browser more."""


def vectors() -> list[dict]:
    found = []
    for path in sorted(VECTORS.glob("*.json")):
        for vector in json.loads(path.read_text()):
            found.append(vector)
    return found


def reason_not_to(vector: dict, client: Client, plays_long: bool) -> str | None:
    """Says why a vector is not played against a client, or None."""
    if client.needs is not None and not client.needs.exists():
        return f"{client.needs.name} is not built"
    kinds = vector.get("for", ["live", "session"])
    if client.kind not in kinds:
        return (vector.get("why_not", {}).get(client.kind) or REASONS.get(client.kind) or ONLY.get(kinds[0])
                or f"it is not for {client.kind} clients")
    for pattern, reason in client.excepted.items():
        if fnmatch.fnmatch(vector["id"], pattern):
            return reason
    for need in vector.get("needs", []):
        if need not in client.can:
            return f"its program has no option to {need}"
    if vector.get("long") and not plays_long:
        return "it takes more than a minute: --long plays it"
    return None


async def run(vector: dict, client: Client, keep: bool, is_alone: bool) -> tuple[list[str], str]:
    """Runs a vector, and returns the complaints, and the reason if nothing can be concluded from them."""
    disturbance = Disturbance()
    folder = Path(tempfile.mkdtemp(prefix="anechoic-conformance-"))
    kind = DoorServer if client.is_web_socket else PageServer if client.kind == "watcher" else Server
    server = kind(vector, str(folder))
    process = None
    try:
        if not client.has_microphone:
            server.host(HOSTED_ID)
        await server.open()
        output = folder / "output.raw"
        command = [
            *client.command, "--server", f"127.0.0.1:{server.gate.port}", "--rate", str(client.rate),
            "--seconds", str(vector["seconds"]), "--output", str(output), *map(str, vector.get("options", [])),
        ]
        if client.kind == "player":
            command += ["--ticket", str(folder / TICKET)]
        elif client.kind == "watcher":
            command += ["--session", HOSTED_ID]
        if "second server" in vector.get("needs", []):
            command += ["--second-server", f"127.0.0.1:{server.second_gate.port}"]
        environment = {**os.environ, **client.environment}
        # The modules of the adapters here would hide those of another client.
        environment.pop("PYTHONPATH", None)
        if client.name != "command":
            environment["PYTHONPATH"] = f"{PROJECT / 'clients/python/src'}:{Path(__file__).parent / 'adapters'}"
        with (folder / "errors").open("wb") as errors:
            try:
                process = await asyncio.create_subprocess_exec(
                    *command, stdout=asyncio.subprocess.PIPE, stderr=errors, stdin=asyncio.subprocess.DEVNULL,
                    env=environment, start_new_session=True)
            except OSError as error:
                return [f"the client cannot be run: {error.strerror}"], ""
        events: list[dict] = []
        began = asyncio.get_running_loop().create_future()

        async def listen() -> None:
            async for line in process.stdout:
                try:
                    event = {**json.loads(line), "time": time.monotonic()}
                except ValueError:
                    continue
                events.append(event)
                if event.get("event") == "began" and not began.done():
                    began.set_result(event["time"])

        listening = asyncio.create_task(listen())
        complaints = []
        playing = None
        try:
            await asyncio.wait([began, listening], timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            beginning = began.result() if began.done() else time.monotonic()
            if began.done():
                playing = asyncio.create_task(server.play(beginning))
            remaining = vector["seconds"] + END_SECONDS
            if not began.done() and not vector["expect"].get(client.kind, {}).get("does_not_begin"):
                complaints.append("the client did not begin")
                remaining = 0.1  # It has had its time.
            try:
                code = await asyncio.wait_for(process.wait(), remaining)
                if code != 0:
                    complaints.append(f"the client exited with {code}")
            except asyncio.TimeoutError:
                complaints.append("the client did not end")
            if playing is not None and playing.done() and playing.exception() is not None:
                raise playing.exception()
        finally:
            if playing is not None:
                playing.cancel()
            # An adapter that failed may have left programs behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            await asyncio.wait([listening], timeout=2)
        complaints += Judge(vector, client, server, beginning, events, output).verdict()
        if complaints:
            complaints += [f"log: {line}" for line in (folder / "errors").read_text().splitlines()[-2:]]
        # A muted microphone that is heard is no fault of a busy machine, unless this program ran late.
        counts_waiting = is_alone and not any(isinstance(each, Heard) for each in complaints)
        return complaints, server.missed or disturbance.reason(counts_waiting)
    finally:
        disturbance.end()
        await server.close()
        if keep:
            print(f"{vector['id']}, {client.name}: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _most_beside(run: tuple[dict, Client]) -> int:
    return run[1].most_beside or sys.maxsize


class Verdicts:
    """Runs vectors, prints a line for each try, and counts those that fail and those that pass at a later try.

    Gives up on a client of which most tries fail, unless `plays_all`.
    """

    def __init__(self, keep: bool, plays_all: bool) -> None:
        self._keep = keep
        self._plays_all = plays_all
        self._trust = Trust()
        self._deadline = float("inf")
        self.failed: list[str] = []
        self.again = self.unexplained = 0
        self.has_too_many_tries = False

    async def judge_all(self, runs: list[tuple[dict, Client]], jobs: int) -> None:
        """Runs vectors beside each other, and those that fail again with fewer beside them, and at last alone.

        Fewer run beside each other while another program needs the processor. A run that fails beside others may only
        have lacked the processor. A run that fails alone has failed, unless other programs had the processor meanwhile:
        then nothing is known, and the vector runs again. A muted person who is heard is a failure at the first try,
        with the same exception. A client of which most tries fail pauses until the next pass; if they fail alone, too,
        the rest of its vectors fail without a try.
        """
        passes = sorted({jobs, min(2, jobs), 1}, reverse=True)
        passes += [1] * (MOST_TRIES - len(passes))
        total = len(runs)
        for number, beside in enumerate(passes, 1):
            if not runs:
                break
            self._trust.begin_pass(number, beside)
            if number == 2:
                self._deadline = time.monotonic() + AGAIN_SECONDS
            again = []
            # Browsers take the processor from the other clients, and come after them.
            for most, group in itertools.groupby(sorted(runs, key=_most_beside, reverse=True), _most_beside):
                slots, group = Slots(min(most, beside)), list(group)
                found = await asyncio.gather(*(
                    self._judge(vector, client, slots, number, beside) for vector, client in group))
                again += [each for each, is_open in zip(group, found) if is_open]
            runs = again
        self.has_too_many_tries = self.unexplained > MOST_TRIED_AGAIN + SHARE_TRIED_AGAIN * total

    async def _judge(
        self, vector: dict, client: Client, slots: Slots, number: int, beside: int
    ) -> bool:
        """Runs a vector, and returns whether it is to be run again."""
        async with slots.slot() as slot:
            if reason := self._reason_not_to_try(client):
                self._tell(client, vector, "FAIL", f"not tried: {reason}")
                return False
            if not self._plays_all and self._trust.pauses(client.name):
                return True
            complaints, disturbance = await run(vector, client, self._keep, is_alone=beside == 1)
            slot.was_disturbed = bool(disturbance)
        if not complaints:
            self._trust.passed(client.name)
        else:
            self._trust.failed(client.name, was_disturbed=bool(disturbance))
        is_heard = any(isinstance(each, Heard) for each in complaints) and not disturbance
        can_be_disturbed = beside > 1 or bool(disturbance)
        goes_on = bool(complaints) and not is_heard and can_be_disturbed and number < MOST_TRIES
        if complaints and disturbance:
            complaints.append(disturbance)
        verdict = "again" if goes_on else "FAIL" if complaints else "ok"
        self.again += verdict == "ok" and number > 1
        self.unexplained += goes_on and number == 1 and not disturbance
        again = f", at try {number}" if number > 1 and not complaints else ""
        text = "; ".join(complaints) if complaints else vector["name"] + again
        self._tell(client, vector, verdict, text)
        return goes_on

    def _reason_not_to_try(self, client: Client) -> str:
        if not self._plays_all and self._trust.is_broken(client.name):
            return self._trust.told(client.name)
        return f"other tries took {AGAIN_SECONDS:.0f} s" if time.monotonic() > self._deadline else ""

    def _tell(self, client: Client, vector: dict, verdict: str, text: str) -> None:
        if verdict == "FAIL":
            self.failed.append(f"{client.name} {vector['id']}")
        print(f"{client.name:<15} {vector['id']:<31} {verdict:<5} {text}", flush=True)


def own_client(parser: Arguments, options: argparse.Namespace) -> Client:
    """Returns the client of --command."""
    if options.clients:
        parser.error(f"--command cannot be used together with {options.clients[0]}")
    try:
        command = tuple(shlex.split(options.command))
    except ValueError as error:
        parser.error(f"--command: {error}")
    if not command:
        parser.error("--command: the command is empty")
    can = frozenset(filter(None, options.can.split(",")))
    if unknown := can - ABILITIES:
        parser.error(f"--can: {', '.join(sorted(unknown))} is unknown; use {', '.join(sorted(ABILITIES))}")
    parser.need_programs(command[0])
    return Client("command", options.kind, command, fallback=options.fallback, can=can)


async def main() -> int:
    parser = Arguments(
        prog="scripts/test conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [each.name for each in CLIENTS]
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=f"all, or some of {', '.join(names)}")
    parser.add_argument("--vector", action="append", default=[], help="a pattern for the ids of the vectors to play")
    parser.add_argument("--command", help="a client of your own: the command to which the options are added")
    parser.add_argument("--kind", choices=KINDS, default="live", help="the kind of --command")
    parser.add_argument("--can", default="", help="what --command can do, such as mute,stall")
    parser.add_argument("--fallback", choices=("raw", "silent"), default="raw", help="what --command falls back to")
    parser.add_argument("--jobs", type=number(int, 1, 1000), default=BESIDE_EACH_CORE * (os.cpu_count() or 1),
                        help="the most runs beside each other; default: 3 for each core")
    parser.add_argument("--long", action="store_true", help="also plays the vectors that take more than a minute")
    parser.add_argument("--keep", action="store_true", help="keeps the outputs, and prints their folders")
    parser.add_argument("--list", action="store_true", help="only lists the vectors")
    options = parser.parse_args()
    known = vectors()
    for pattern in options.vector:
        if not fnmatch.filter([each["id"] for each in known], pattern):
            parser.error(f"--vector {pattern}: there is no such vector; use {', '.join(each['id'] for each in known)}")
    if unknown := set(options.clients) - set(names):
        parser.error(f"{', '.join(sorted(unknown))}: not a client; use {', '.join(names)}")
    clients = [each for each in CLIENTS if not options.clients or each.name in options.clients]
    if options.command is not None:
        clients = [own_client(parser, options)]
    chosen = [each for each in known
              if not options.vector or any(fnmatch.fnmatch(each["id"], pattern) for pattern in options.vector)]
    if options.list:
        for vector in chosen:
            print(f"{vector['id']:<31} {vector['name']}")
        return 0
    began, runs = time.monotonic(), []
    for vector in chosen:
        for client in clients:
            if (reason := reason_not_to(vector, client, options.long)) is None:
                runs.append((vector, client))
            else:
                print(f"{client.name:<15} {vector['id']:<31} –     {reason}", flush=True)
    if not runs:
        parser.unusable("nothing was played: no client that is built can run these vectors")
    verdicts = Verdicts(options.keep, plays_all=options.command is not None)
    await verdicts.judge_all(runs, options.jobs)
    print(f"{len(runs) - len(verdicts.failed)} of {len(runs)} ok, {verdicts.again} of them after another try, "
          f"in {time.monotonic() - began:.0f} s")
    if verdicts.failed:
        print(f"FAILED: {', '.join(verdicts.failed)}")
    if verdicts.has_too_many_tries:
        print(f"FAILED: {verdicts.unexplained} needed another try, although the machine was not busy")
    return 1 if verdicts.failed or verdicts.has_too_many_tries else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
