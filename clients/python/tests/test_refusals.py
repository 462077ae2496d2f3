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
    settings = {"spatial_audio.sources": [anechoic.Source("alice", azimuth=400)]}
    with pytest.raises(anechoic.InvalidRequest, match="azimuth") as caught:
        async with anechoic.Session(server, microphone=MONO, settings=settings):
            pass
    assert caught.value.field.startswith("start.config.spatial_audio") and caught.value.reason == "INVALID_FIELD"
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


@pytest.mark.parametrize("reference", [None, np.zeros(800, np.int16)])
@in_loop
async def test_a_recording_with_a_reference_that_was_not_announced_is_refused(server, reference):
    async with anechoic.Session(server, microphone=MONO, real_time=False) as session:
        with pytest.raises(anechoic.FormatError, match="reference: the session has no such input; announce it"):
            async for _ in session.process(np.zeros(800, np.int16), reference):
                pass


@pytest.mark.parametrize("options, field", [
    ({"microphone": 16000}, "microphone"), ({"microphone": None}, "microphone"), ({"labels": {"room": 5}}, "labels"),
    ({"session_id": 5}, "session_id"), ({"chunk": "20 ms"}, "chunk"),
    ({"resume_window": float("inf")}, "resume_window"),
    ({"statistics_interval": float("nan")}, "statistics_interval"),
    ({"settings": {"preferred_mic_mode.x": 1}}, "preferred_mic_mode.x"),
])
def test_a_value_that_is_no_such_value_is_named_before_anything_is_sent(options, field):
    with pytest.raises(anechoic.InvalidRequest, match=field) as caught:
        anechoic.Session("127.0.0.1:1", **{"microphone": MONO, **options})
    assert caught.value.field == field


@pytest.mark.parametrize("server", [[], [[]], 5, None, b"127.0.0.1:1", ""])
def test_a_server_that_is_no_address_is_refused(server):
    with pytest.raises(anechoic.InvalidRequest, match="server: "):
        anechoic.Session(server, microphone=MONO)


@pytest.mark.parametrize("audio", [None, 5, np.float32(0), np.array(3), "abc"])
@in_loop
async def test_what_is_no_audio_is_refused(server, audio):
    async with anechoic.Session(server, microphone=MONO) as session:
        with pytest.raises(anechoic.FormatError, match="microphone: the array has the shape"):
            await session.feed(audio)


@pytest.mark.parametrize("encoding, full", [("s16", 32767), ("f32", 1.0)])
def test_floats_that_are_no_numbers_become_silence(encoding, full):
    format = Format(16000, encoding=encoding)
    for kind in (np.float32, np.float64):
        samples = np.array([np.nan, np.inf, -np.inf, 0.5], kind)
        with np.errstate(all="raise"):
            made = format.to_array(format.to_bytes(samples))
        assert made[0] == 0 and made[1] == full and made[2] in (-1, -32768) and made[3] in (0.5, 16384)


def test_views_of_memory_need_not_be_contiguous():
    values = np.arange(10, dtype=np.int16)
    assert bytes(MONO.to_bytes(memoryview(values)[::2])) == values[::2].tobytes()


@pytest.mark.parametrize("kind", ["<i2", ">i2", "<f4", "<f8"])
@pytest.mark.parametrize("encoding", ["s16", "f32"])
def test_views_of_memory_are_samples_of_their_own_type(encoding, kind):
    values = np.array([8192, -16384]) if kind.endswith("i2") else np.array([0.25, -0.5])
    expected = [8192, -16384] if encoding == "s16" else [0.25, -0.5]
    format, stereo = Format(16000, encoding=encoding), Format(16000, 2, encoding)
    view = memoryview(values.astype(kind))
    assert format.to_array(format.to_bytes(view)).tolist() == expected
    assert format.to_array(view).tolist() == expected
    for two in (view, memoryview(values.astype(kind).reshape(1, 2))):
        assert stereo.to_array(stereo.to_bytes(two)).tolist() == [expected]


def test_views_of_what_is_no_sample_are_refused():
    for view in (memoryview(np.zeros(4, np.int32)), memoryview(np.zeros(4, np.uint16))):
        for use in (MONO.to_bytes, MONO.to_array):
            with pytest.raises(anechoic.FormatError, match="the array has the type u?int.*; use int16, float32"):
                use(view)
    with pytest.raises(anechoic.FormatError, match=r"the shape \(3,\), and 2 channel"):
        Format(16000, 2).to_bytes(memoryview(np.zeros(3, np.float32)))


@in_loop
async def test_a_session_that_is_not_open_says_so_at_once(server):
    session = anechoic.Session(server, microphone=MONO)
    for use in (lambda: session.feed(b"ab"), session.read, session.mute, lambda: anext(session.__aiter__())):
        with pytest.raises(anechoic.Refused, match="not open"):
            await asyncio.wait_for(use(), 1)
    with pytest.raises(anechoic.Refused):
        session.events()
    await asyncio.wait_for(session.close(), 1)
    async with anechoic.Session(server, microphone=MONO) as session:
        with pytest.raises(anechoic.Refused, match="only once"):
            await session.open()
        with pytest.raises(anechoic.InvalidRequest, match="count: -1"):
            await session.read(-1)


@in_loop
async def test_a_session_whose_body_fails_ends_on_the_server_too(server):
    with pytest.raises(ZeroDivisionError):
        async with anechoic.Session(server, microphone=MONO, session_id="failing", real_time=False) as session:
            await session.feed(np.zeros(32000, np.int16))
            await session.read(100)
            1 / 0
    async with anechoic.Sessions(server) as sessions:
        with pytest.raises(anechoic.NotFound):
            await sessions.get("failing")


@pytest.mark.parametrize("token", [lambda: 5, lambda: "a\nb", lambda: 1 / 0])
@in_loop
async def test_a_token_that_cannot_be_sent_is_refused(server, token):
    async with anechoic.Connection(server, token=token) as connection:
        with pytest.raises(anechoic.Unauthenticated, match="token: ") as caught:
            async with anechoic.Session(connection, microphone=MONO):
                pass
    assert caught.value.field == "token"


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
