"""Bad input: one clear, typed error, and the session goes on where it can."""

import asyncio
from concurrent import futures

import grpc
import numpy as np
import pytest
from conftest import collect, in_loop

import anechoic
from anechoic import Format

MONO = Format(16000)


@in_loop
async def test_an_absent_server_is_named():
    connection = anechoic.Connection("127.0.0.1:1", connect_timeout=0.1)
    with pytest.raises(anechoic.ServerUnavailable, match="127.0.0.1:1: UNAVAILABLE") as caught:
        async with anechoic.Session(connection, microphone=MONO):
            pass
    assert caught.value.status == "UNAVAILABLE"
    await connection.close()


@in_loop
async def test_another_program_is_no_anechoic_server():
    other = grpc.server(futures.ThreadPoolExecutor(1))
    port = other.add_insecure_port("127.0.0.1:0")
    other.start()
    try:
        with pytest.raises(anechoic.IncompatibleServer, match="does not offer anechoic.v1"):
            async with anechoic.Session(f"127.0.0.1:{port}", microphone=MONO):
                pass
    finally:
        other.stop(None)


@in_loop
async def test_a_refused_start_names_its_field(server):
    with pytest.raises(anechoic.InvalidRequest, match="session_id") as caught:
        async with anechoic.Session(server, microphone=MONO, session_id="no spaces"):
            pass
    assert (caught.value.field, caught.value.reason) == ("start.session_id", "INVALID_FIELD")
    with pytest.raises(anechoic.InvalidRequest, match="engine"):
        async with anechoic.Session(server, microphone=MONO, engine="steam"):
            pass


@in_loop
async def test_an_id_in_use_is_refused(server):
    async with anechoic.Session(server, microphone=MONO, session_id="only-one"):
        with pytest.raises(anechoic.AlreadyExists) as caught:
            async with anechoic.Session(server, microphone=MONO, session_id="only-one"):
                pass
    assert caught.value.reason == "SESSION_EXISTS"


@pytest.mark.parametrize("settings, field", [
    ({"mute.colour": 1}, "mute.colour"), ({"preferred_mic_mode": "LOUD"}, "preferred_mic_mode"),
    ({"mute.chime_disabled": "maybe"}, "mute.chime_disabled"),
])
def test_a_wrong_setting_is_named_before_anything_is_sent(settings, field):
    with pytest.raises(anechoic.InvalidRequest, match=field) as caught:
        anechoic.Session("127.0.0.1:1", microphone=MONO, settings=settings)
    assert caught.value.field == field


@pytest.mark.parametrize(
    "options", [{"rate": 22050}, {"rate": 16000, "channels": 3}, {"rate": 8000, "encoding": "mp3"}])
def test_a_format_that_nobody_supports_is_refused(options):
    with pytest.raises(anechoic.FormatError, match="is not supported; use"):
        Format(**options)


@pytest.mark.parametrize("inputs, words", [
    ({"microphone": np.zeros((10, 2), np.int16)}, r"microphone: the array has the shape \(10, 2\)"),
    ({"microphone": np.zeros(10, np.int64)}, "microphone: the array has the type int64"),
    ({"reference": np.zeros(10, np.int16)}, "reference: the session has no such input; announce it"),
])
@in_loop
async def test_audio_of_another_format_is_refused_and_the_session_goes_on(server, inputs, words):
    async with anechoic.Session(server, microphone=MONO, real_time=False) as session:
        await session.feed(np.zeros(800, np.int16))
        with pytest.raises(anechoic.FormatError, match=words) as caught:
            await session.feed(**inputs)
        assert caught.value.field in inputs
        await session.feed(np.zeros(800, np.int16))
        await session.finish()
        assert len(await collect(session)) == 1600


@in_loop
async def test_an_input_far_ahead_of_the_microphone_is_refused(server):
    async with anechoic.Session(server, microphone=MONO, reference=MONO, real_time=False) as session:
        with pytest.raises(anechoic.FormatError, match="ahead of the microphone"):
            await session.feed(reference=np.zeros(160000, np.int16))


@in_loop
async def test_feeding_a_session_that_has_ended_says_so(server):
    async with anechoic.Session(server, microphone=MONO, real_time=False) as session:
        await session.feed(np.zeros(1600, np.int16))
        await session.finish()
        await collect(session)
        with pytest.raises(anechoic.SessionEnded):
            await session.feed(np.zeros(1600, np.int16))
        with pytest.raises(anechoic.SessionEnded):
            await session.mute()


@in_loop
async def test_a_refused_control_throws_and_the_session_goes_on(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        clearing = asyncio.create_task(session.clear_playback())
        await session.feed(np.zeros(1600, np.int16))
        with pytest.raises(anechoic.Refused) as caught:
            await clearing
        assert caught.value.reason == "NO_PLAYBACK"
        await session.feed(np.zeros(1600, np.int16))
        await session.finish()
        assert len(await collect(session)) == 3200
