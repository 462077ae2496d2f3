"""Wrong arguments and files: each is an error of this package, at once, and ends no session."""

import asyncio
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import PROJECT, in_loop
from hostile import HostileServer

import anechoic
from anechoic import Connection, Format, FormatError, InvalidRequest
from anechoic.events import AudioPort, AudioRoute

MONO = Format(16000)
HALF = "a\ud800"  # Half of a character in UTF-16.
BLOCK = np.ones(320, np.int16)


async def serve(call):
    await call.accept()
    await call.serve()


async def refused(kind, work):
    with pytest.raises(kind) as caught:
        result = work()
        if asyncio.iscoroutine(result):
            await asyncio.wait_for(result, 3)
    assert isinstance(caught.value, anechoic.AnechoicError)
    str(caught.value).encode()  # It can be printed.


@in_loop
async def test_a_session_refuses_wrong_arguments_and_goes_on():
    async with HostileServer(serve) as server:
        async with anechoic.Session(
            server.address, microphone=MONO, reference=MONO, intermittent_reference=True,
        ) as session:
            ragged = [[1, 2], [3]]
            for kind, work in [
                (InvalidRequest, lambda: session.configure(None)),
                (InvalidRequest, lambda: session.configure({HALF: 1})),
                (InvalidRequest, lambda: session.configure({"mute.gesture_policy": HALF})),
                (InvalidRequest, lambda: session.configure({"mute.chime_disabled": True}, at_sample=-1)),
                (InvalidRequest, lambda: session.feed(BLOCK, far_ends=5)),
                (InvalidRequest, lambda: session.feed_nowait(BLOCK, far_ends=[1])),
                (InvalidRequest, lambda: session.feed(BLOCK, far_ends={HALF: BLOCK})),
                (FormatError, lambda: session.feed(ragged)),
                (FormatError, lambda: session.feed_nowait(ragged)),
                (FormatError, lambda: session.place_reference(ragged)),
                (InvalidRequest, lambda: session.feed(BLOCK, microphone_time=1e12)),
                (InvalidRequest, lambda: session.mute(at_sample=-1)),
                (InvalidRequest, lambda: session.unmute(at_sample=-1)),
                (InvalidRequest, lambda: session.mute(at_sample="soon")),
                (InvalidRequest, lambda: session.mute(at_sample=2**63)),
                (InvalidRequest, lambda: session.decide_gesture(HALF, True)),
                (InvalidRequest, lambda: session.decide_gesture("a", "yes")),
                (InvalidRequest, lambda: session.decide_injection(HALF, True)),
                (InvalidRequest, lambda: session.report_route(AudioRoute(AudioPort(HALF), None))),
                (InvalidRequest, lambda: session.report_route(5)),
                (InvalidRequest, lambda: session.report_interruption(True, reason="a call")),
            ]:
                await refused(kind, work)
            assert not session.is_muted
            await session.feed(BLOCK)
            assert len(await asyncio.wait_for(session.read(320), 2)) == 320
            await session.finish()
            with pytest.raises(anechoic.Refused, match="the input of the session has ended"):
                await session.feed(BLOCK)
            with pytest.raises(anechoic.AnechoicError):
                session.feed_nowait(BLOCK)
    async with anechoic.Sessions("127.0.0.1:1") as sessions:
        for work in (
            lambda: sessions.get(HALF), lambda: sessions.mute(HALF), lambda: sessions.delete(HALF),
            lambda: sessions.configure("a", None), lambda: sessions.configure("a", {HALF: 1}),
            lambda: sessions.say("a", HALF), lambda: sessions.say("a", "b", voice=HALF),
            lambda: sessions.ask_to_inject("a", HALF), lambda: sessions.label("a", {"b": HALF}),
            lambda: sessions.play("a", ragged, MONO), lambda: sessions.gesture("a", gesture_id=HALF),
        ):
            await refused(InvalidRequest, work)


@pytest.mark.parametrize("options", [
    {"session_id": HALF}, {"labels": {HALF: "a"}}, {"labels": {"a": HALF}}, {"engine": HALF}, {"client": HALF},
    {"settings": {HALF: 1}}, {"far_ends": {HALF: MONO}, "playback": MONO}, {"far_ends": 5},
])
@in_loop
async def test_options_with_half_a_character_are_refused(options):
    async def start():
        async with anechoic.Session("127.0.0.1:1", microphone=MONO, **options):
            pass

    await refused(InvalidRequest, start)


@pytest.mark.parametrize("options", [
    {"token_file": HALF}, {"token_file": "a\0b"}, {"ca_file": HALF}, {"ca_file": "a\0b"}, {"token": HALF},
])
def test_paths_that_cannot_exist_are_refused(options):
    with pytest.raises(InvalidRequest):
        Connection("127.0.0.1:1", **options)
    with pytest.raises(InvalidRequest):
        Connection(f"unix:{HALF}")


def test_a_filter_needs_an_event_loop():
    live = anechoic.LiveFilter("127.0.0.1:1")
    for _ in range(2):
        with pytest.raises(InvalidRequest, match="no event loop"):
            live.exchange(bytes(640), MONO)


@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_only_regular_files_are_read(kind, tmp_path):
    path = {"fifo": tmp_path / "fifo", "device": "/dev/zero", "folder": tmp_path}[kind]
    if kind == "fifo":
        os.mkfifo(path)
    for name in ("token_file", "ca_file"):
        with pytest.raises(InvalidRequest, match="directory" if kind == "folder" else "not a regular file"):
            Connection("127.0.0.1:1", **{name: path})
    with pytest.raises(OSError):
        anechoic.WavReader(path)
    command = [sys.executable, "-m", "anechoic", "process", str(path), str(tmp_path / "out.wav")]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "clients/python/src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=20)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and str(path) in done.stderr
    assert not (tmp_path / "out.wav").exists()


@in_loop
async def test_the_status_of_the_server_counts_while_messages_are_sent():
    """grpcio reports INTERNAL if a message fails because the call has ended."""
    async def script(call):
        await call.accept()
        for _ in range(5):
            await call.context.read()
        await call.end("CANCELLED", "SESSION_DELETED")

    async with HostileServer(script) as server:
        for _ in range(30):
            session = anechoic.Session(server.address, microphone=Format(16000), real_time=False, chunk=0.01)
            await session.open()
            with pytest.raises(anechoic.SessionEnded) as ended:
                while True:
                    await session.feed(bytes(3200))
                    await asyncio.sleep(0)
            assert ended.value.reason == "SESSION_DELETED"
            await session.close()
        assert len(server.starts) == 30
