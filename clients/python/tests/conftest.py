"""A real server, the sample, and a proxy whose connections can be cut."""

import asyncio
import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

PROJECT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(PROJECT / "clients/python/src"))

import anechoic  # noqa: E402
from anechoic._credentials import is_local  # noqa: E402


def server_program():
    """The program of ANECHOIC_SERVER, or the one that was built last."""
    built = [PROJECT / ".build/release/anechoic-server", PROJECT / ".build/debug/anechoic-server"]
    existing = sorted((each for each in built if each.exists()), key=lambda each: each.stat().st_mtime)
    found = os.environ.get("ANECHOIC_SERVER") or (existing[-1] if existing else shutil.which("anechoic-server"))
    assert found, "build the server first: swift build --product anechoic-server"
    return str(found)


os.environ["ANECHOIC_SERVER"] = server_program()


class RunningServer:
    """A server on a port of its own."""

    def __init__(self, *options, listen="127.0.0.1:0"):
        self.process = subprocess.Popen(
            [server_program(), "--config", os.devnull, "--listen", listen, "--admin-listen", "off",
             "--http-listen", "off", "--log-level", "error", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        assert "listening on " in line, line
        self.address = line.split("listening on ")[1].split()[0].rstrip(",")
        assert is_local(self.address)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="session")
def server():
    running = RunningServer()
    yield running.address
    running.stop()


@pytest.fixture
def start_server():
    """Starts further servers, which end with the test."""
    running = []

    def start(*options, **more):
        running.append(RunningServer(*options, **more))
        return running[-1]

    yield start
    for each in running:
        each.stop()


@pytest.fixture(scope="session")
def sample():
    """The folder of the sample, which scripts/generate sample makes."""
    folder = PROJECT / "sample"
    if not (folder / "reference.wav").exists():
        subprocess.run([PROJECT / "scripts/generate", "sample"], check=True)
    return folder


@pytest.fixture(scope="session")
def microphone(sample):
    return anechoic.Recording.read(sample / "microphone.wav")


@pytest.fixture(scope="session")
def reference(sample):
    return anechoic.Recording.read(sample / "reference.wav")


def in_loop(test):
    """Runs an async test in an event loop, for at most a minute."""

    @functools.wraps(test)
    def run(*arguments, **named):
        asyncio.run(asyncio.wait_for(test(*arguments, **named), 60))

    return run


def level(samples, first, last, rate=16000):
    """The level between two times, in decibels."""
    part = samples[int(first * rate):int(last * rate)].astype(float)
    return 10 * np.log10(np.mean(part**2) + 1e-9)


async def collect(session):
    """All processed samples until the end."""
    parts = [output.samples async for output in session]
    return np.concatenate(parts)


async def event(session, kind, **values):
    """The first event of a kind with these values."""
    async for each in session.events():
        if isinstance(each, kind) and all(getattr(each, name) == value for name, value in values.items()):
            return each
    raise AssertionError(f"the session ended without {kind.__name__}")


class Proxy:
    """A TCP proxy. `cut` breaks its connections, `pause` makes them silent, and `refuse` stops listening."""

    def __init__(self, target):
        self.host, _, port = target.rpartition(":")
        self.port = int(port)
        self.writers = set()
        self.flowing = asyncio.Event()
        self.flowing.set()
        self.accepts = True
        self.late = 0.0
        """The seconds that each piece of an answer waits."""

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self.cut()
        self.server.close()

    def cut(self):
        for writer in self.writers:
            writer.transport.abort()

    async def accept(self, reader, writer):
        if not self.accepts:
            return writer.transport.abort()
        far_reader, far_writer = await asyncio.open_connection(self.host, self.port)
        self.writers |= {writer, far_writer}
        await asyncio.gather(self.pump(reader, far_writer), self.pump(far_reader, writer, is_answer=True))

    async def pump(self, reader, writer, *, is_answer=False):
        try:
            while data := await reader.read(65536):
                if not self.flowing.is_set():
                    continue
                if is_answer and self.late:
                    await asyncio.sleep(self.late)
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.transport.abort()
