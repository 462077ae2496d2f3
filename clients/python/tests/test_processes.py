"""Programs that fork, use threads, feed without a pause, or are interrupted."""

import asyncio
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import PROJECT, collect, in_loop

import anechoic
from anechoic import Format

MONO = Format(16000)
IMPORTS = f"""
import multiprocessing, os, signal, sys, threading, time
sys.path.insert(0, {str(PROJECT / "clients/python/src")!r})
import numpy as np, anechoic
from anechoic import Format
server, MONO, silence = sys.argv[1], Format(16000), np.zeros(1600, "int16")
"""


def program(text, server):
    """Runs a program. Returns its output and errors."""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", IMPORTS + text, server], capture_output=True, text=True, timeout=60)
    return done.stdout.splitlines(), done.stderr


def test_a_forked_process_is_told_that_grpc_does_not_work_there(server):
    """Otherwise its calls wait for ever, or libgrpc aborts it."""
    lines, _ = program("""
def start():
    try:
        with anechoic.blocking.Session(server, microphone=MONO, real_time=False) as session:
            print(sum(len(each.samples) for each in session.process(silence)), flush=True)
    except anechoic.Refused as error:
        print(error.reason, flush=True)

def fork():
    process = multiprocessing.get_context("fork").Process(target=start)
    process.start()
    process.join()

for work in fork, start, fork, start:
    work()
""", server)
    assert lines == ["1600", "1600", "FORKED", "1600"]


def test_a_forked_process_does_not_wait_for_the_session_of_its_parent(server, monkeypatch):
    with anechoic.blocking.Session(server, microphone=MONO) as session:
        with monkeypatch.context() as patch:
            patch.setattr("os.getpid", lambda: -1)
            with pytest.raises(anechoic.Refused, match="the process that opened it"):
                session.finish()
        assert session.delay > 0


def test_an_interrupted_script_leaves_no_task_behind(server):
    lines, errors = program("""
# A shell that started the tests in the background has made them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    with anechoic.blocking.Session(server, microphone=MONO) as session:
        while True:
            session.feed(silence)
except KeyboardInterrupt:
    print("interrupted")
""", server)
    assert lines == ["interrupted"]
    assert "Task was destroyed" not in errors, errors


@in_loop
async def test_a_program_that_feeds_at_once_and_without_a_pause_loses_nothing(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        reader = asyncio.create_task(collect(session))
        for _ in range(40):
            await session.feed(np.zeros(1600, np.int16))
        await session.finish()
        assert len(await reader) == 64000
        assert session.dropped_samples == 0


@in_loop
async def test_a_program_that_feeds_without_a_pause_does_not_hold_up_its_loop(start_server):
    """A session that has no connection takes all audio at once."""
    server = start_server()
    async with anechoic.Session(server.address, microphone=MONO) as session:
        server.stop()

        async def feed():
            while session.is_connected:
                await session.feed(np.zeros(160, np.int16))
            while True:
                await session.feed(np.zeros(1600, np.int16))

        feeding = asyncio.create_task(feed())
        await asyncio.sleep(0.5)
        feeding.cancel()
        began = time.monotonic()
        await session._link.abandon()
    assert time.monotonic() - began < 2


@in_loop
async def test_any_thread_may_mute_a_filter(server):
    live = anechoic.LiveFilter(server)
    frame = (np.sin(np.arange(320) * 0.2) * 8000).astype(np.int16).tobytes()

    async def heard(count):
        parts = []
        for _ in range(count):
            parts.append(live.exchange(frame, MONO))
            await asyncio.sleep(0.02)
        return np.frombuffer(b"".join(parts), np.int16)

    assert (await heard(40)).any()
    for request, is_muted in ((live.mute, True), (live.unmute, False)):
        thread = threading.Thread(target=request)
        thread.start()
        thread.join()
        await heard(15)
        assert live.is_muted is is_muted
        assert (await heard(10)).any() is np.bool_(not is_muted)
    await live.close()
