"""A broken or hostile server: all that it sends is bounded by what this client has sent."""

import asyncio
import logging
import tracemalloc

import grpc
import numpy as np
import pytest
from conftest import in_loop
from google.protobuf import duration_pb2
from hostile import HostileServer

import anechoic
from anechoic import Format
from anechoic._alignment import AlignedVoice
from anechoic._output import Output
from anechoic._reconnection import Reconnection, Retries
from anechoic.v1 import config_pb2, events_pb2, voice_processing_pb2 as api

MONO = Format(16000)
TONE = np.full(320, 1000, np.int16).tobytes()


async def until(condition, seconds=10):
    async def wait():
        while not condition():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), seconds)


async def exchange(live, seconds, frame=TONE, format=MONO):
    """Exchanges frames in real time. Returns what was heard."""
    heard, loop = [], asyncio.get_running_loop()
    began = loop.time()
    for number in range(round(seconds * 50)):
        heard.append(live.exchange(frame, format))
        await asyncio.sleep(max(0, began + number * 0.02 - loop.time()))
    return np.frombuffer(b"".join(heard), format.dtype)


async def exchange_until(live, condition, seconds=15):
    """Exchanges frames in real time until something is so, and for 300 ms more. Returns what was heard."""
    heard, loop = [], asyncio.get_running_loop()
    end = loop.time() + seconds
    while not condition():
        assert loop.time() < end, "it took too long"
        heard.append(await exchange(live, 0.04))
    return np.concatenate([*heard, await exchange(live, 0.3)])


def is_connected(live):
    return live.session is not None and live.session.is_connected


async def feed(session, seconds):
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(round(seconds * 50)):
        await session.feed(TONE)
        await asyncio.sleep(max(0, began + number * 0.02 - loop.time()))


ABSURD = [2**62, -2**62, 2**63 - 1, -2**63, 10**6, -1, 16000 * 60]


async def at_once(test, *cases):
    """Runs a test with each of the cases, side by side."""
    await asyncio.gather(*(test(*each) if isinstance(each, tuple) else test(each) for each in cases))


@in_loop
async def test_output_of_audio_that_was_never_sent_is_dropped():
    await at_once(output_of_audio_that_was_never_sent_is_dropped, *ABSURD)


async def output_of_audio_that_was_never_sent_is_dropped(first):
    async def script(call):
        await call.accept()
        await call.audio(first, bytes(640))
        await call.serve()

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        heard = await exchange_until(live, lambda: live.session is not None and live.session.invalid_responses)
        assert live.session.invalid_responses == 1 and len(server.starts) == 1
        assert live.session.lost_samples == 0
        assert (heard[2400:] == 1000).all()  # Raw or processed, but never silent.
        await live.close()


@in_loop
async def test_output_far_ahead_takes_no_memory():
    voice = AlignedVoice(2, 16000, 320, passes_raw=True)
    tracemalloc.start()
    voice.add(Output(np.ones(320, np.int16), 2**40, None, ()), 0)
    voice.add(Output(np.ones(320, np.int16), 16000 * 3600, None, ()), 0)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    heard = np.frombuffer(b"".join(voice.exchange(TONE) for _ in range(20)), np.int16)
    assert (heard[800:] == 1000).all()


def odd(**fields):
    response = api.ProcessResponse()
    response.audio.processed.first_sample = fields.pop("first", 0)
    response.audio.processed.samples = fields.pop("samples", bytes(640))
    response.audio.playback.samples = fields.pop("playback", b"")
    for name, value in fields.items():
        getattr(response.audio, name).extend(value)
    return response


STATS = api.ProcessResponse()
STATS.stats.echo.delay.seconds = 2**62
STATS.stats.timing.frame_processing_p50.seconds = -2**62
EVENT = api.ProcessResponse()
EVENT.event.event_id, EVENT.event.microphone_sample = 2**64 - 1, -2**63
EVENT.event.session_suspended.resume_window.seconds = 2**62
HUGE_EVENT = api.ProcessResponse()
HUGE_EVENT.event.injection_permission_requested.client = "x" * (1 << 20)
RESULT = api.ProcessResponse(control_result=api.ControlResult(control_id=2**64 - 1, applied_at_sample=-2**63))


@pytest.mark.parametrize("response", [
    api.ProcessResponse(), api.ProcessResponse(started=api.Started()), STATS, EVENT, HUGE_EVENT, RESULT,
    odd(samples=bytes(641)), odd(samples=b"\1"), odd(samples=bytes(2 << 20)), odd(samples=b""),
    odd(playback=bytes(641)), odd(frames=[api.FrameInfo(speech_probability=float("nan"))] * 10000),
])
@in_loop
async def test_a_message_without_sense_does_not_end_the_session(response):
    async def script(call):
        await call.accept()
        for _ in range(5):
            await call.read()
        for _ in range(3):
            await call.write(response)
        await call.serve()

    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO, playback=MONO) as session:
            await feed(session, 0.5)
            await session.finish()
            outputs = [each async for each in session]
            events = [each async for each in session.events()]
    assert sum(len(each.samples) for each in outputs if not each.is_lost) + session.lost_samples == 8000
    assert all(len(each.frames) <= 2 for each in outputs)
    assert all(0 <= each.sample <= 8000 for each in events)
    assert all(frame.speech_probability == 0 for each in outputs for frame in each.frames)
    assert len(server.starts) == 1


@in_loop
async def test_floats_that_are_no_numbers_are_not_heard():
    async def script(call):
        await call.accept()
        await call.read()
        await call.audio(0, np.array([np.nan, np.inf, -np.inf, 0.5], "<f4").tobytes())
        await call.serve()

    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=Format(16000, encoding="f32")) as session:
            await session.feed(np.zeros(1600, np.float32))
            heard = await session.read(4)
    assert heard.tolist() == [0, 1, -1, 0.5]


def started(**fields):
    message = api.Started()
    for name, value in fields.items():
        setattr(message, name, value)
    return message


OTHER = api.Start.Outputs()
OTHER.processed.encoding, OTHER.processed.sample_rate_hz, OTHER.processed.channel_count = 2, 44100, 7
BIG = config_pb2.SessionConfig()
BIG.spatial_audio.sources.extend(config_pb2.SpatialAudio.Source(far_end_id="x" * 1000) for _ in range(100))


WITHOUT_SENSE = [
    {"session": ""}, {"session": "sessions/"}, {"session": "sessions/a b"}, {"session": "sessions/" + "x" * 1000},
    {"session": "call-1"}, {"resume_token": bytes(10000)}, {"join_token": bytes(1 << 20)},
    {"algorithmic_delay": duration_pb2.Duration(seconds=2**60)}, {"algorithmic_delay": duration_pb2.Duration(nanos=-1)},
    {"algorithmic_delay": duration_pb2.Duration(seconds=5)}, {"outputs": OTHER}, {"config": BIG},
    {"resumed": api.Started.Resumed(microphone_sample=5)},
]


@in_loop
async def test_a_start_that_is_answered_without_sense_is_lost():
    await at_once(a_start_that_is_answered_without_sense_is_lost, *WITHOUT_SENSE)


async def a_start_that_is_answered_without_sense_is_lost(fields):
    async def script(call):
        if len(server.starts) < 3:
            await call.accept(**fields)
        else:
            await call.accept()
        await call.serve()

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        heard = await exchange_until(live, lambda: is_connected(live))
        assert len(server.starts) == 3
        pauses = np.diff(server.times)
        assert pauses[0] > 0.06 and pauses[1] > 0.12
        assert heard[2400:].all()
        await live.close()
        with pytest.raises(anechoic.ServerUnavailable, match="makes no sense"):
            server.starts.clear()
            connection = anechoic.Connection(server.address, connect_timeout=0)
            async with connection, anechoic.Session(connection, microphone=MONO):
                pass


@in_loop
async def test_a_session_that_goes_on_where_nothing_was_sent_is_lost():
    await at_once(a_session_that_goes_on_where_nothing_was_sent_is_lost, *ABSURD)


async def a_session_that_goes_on_where_nothing_was_sent_is_lost(sample):
    async def script(call):
        if len(server.starts) == 1:
            await call.accept()
            for _ in range(10):
                await call.read()
            return await call.end("UNAVAILABLE")
        if len(server.starts) == 2:
            await call.accept(resumed=api.Started.Resumed(microphone_sample=sample, concealed_samples=sample))
            return await call.serve()
        if call.start.resume_token:
            return await call.end("NOT_FOUND", "RESUME_TOKEN_UNKNOWN")
        await call.accept()
        await call.serve()

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        heard = await exchange_until(live, lambda: len(server.starts) == 4 and is_connected(live))
        assert [bool(each.resume_token) for each in server.starts] == [False, True, True, False]
        assert live.session.is_connected and heard[2400:].all()
        await live.close()


@in_loop
async def test_a_server_cannot_make_a_client_hurry_nor_wait_for_ever():
    await at_once(a_server_cannot_make_a_client_hurry_nor_wait_for_ever, 0, -1, -2**60, 2**62)


async def a_server_cannot_make_a_client_hurry_nor_wait_for_ever(retry_after):
    async def script(call):
        await call.end("RESOURCE_EXHAUSTED", "SERVER_FULL", retry_after=retry_after)

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        await exchange(live, 1.5)
        await live.close()
        if retry_after > 0:
            assert len(server.starts) == 1
        else:
            assert 3 <= len(server.starts) <= 7


@pytest.mark.parametrize("named, seconds", [(0, 0.1), (-5, 0.1), (2, 2), (1e300, 60), (0.01, 0.1)])
def test_the_time_that_a_server_names_is_bounded(named, seconds):
    error = anechoic.Overloaded("", retry_after=named)
    assert Retries(anechoic.Reconnect(), 0).delay(0, error, variation=0) == seconds
    steps = Reconnection(anechoic.Reconnect(), 10, 0, 1, 0)
    attempt = steps.next(0, error, variation=0)
    assert attempt.delay == seconds


@in_loop
async def test_a_server_that_stops_at_once_does_not_make_a_client_hurry():
    async def script(call):
        await call.accept()
        await call.end("UNAVAILABLE", "DRAINING", retry_after=0)

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        await exchange(live, 2)
        await live.close()
        assert 3 <= len(server.starts) <= 12, len(server.starts)


@in_loop
async def test_settings_of_a_hostile_server_do_not_outlive_it():
    async def script(call):
        if len(server.starts) == 1:
            config = config_pb2.SessionConfig()
            config.voice_processing.noise_suppression.level = 99
            await call.accept(config=config)
            await call.read()
            event = events_pb2.SessionEvent(event_id=1, config_changed=events_pb2.ConfigChanged(config=config))
            event.config_changed.config.preferred_mic_mode = 77
            await call.write(event=event)
            await asyncio.sleep(0.1)
            return await call.end("UNAVAILABLE", "DRAINING")
        if call.start.config.preferred_mic_mode == 77:
            return await call.end("INVALID_ARGUMENT", "INVALID_FIELD")
        await call.accept()
        await call.serve()

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        await exchange_until(live, lambda: len(server.starts) == 2)
        await exchange_until(live, lambda: len(server.starts) == 3 and is_connected(live))
        await live.close()


@pytest.mark.parametrize("when", range(6))
@in_loop
async def test_a_filter_survives_a_call_that_ends_at_any_moment(when):
    codes = ["OK", "UNAVAILABLE", "INTERNAL", "ABORTED", "DATA_LOSS", "RESOURCE_EXHAUSTED"]
    await at_once(a_filter_survives_a_call_that_ends, *((when, code) for code in codes))


async def a_filter_survives_a_call_that_ends(when, code):
    async def script(call):
        if len(server.starts) > 1 and not call.start.resume_token:
            await call.accept()
            return await call.serve()
        if call.start.resume_token and when < 5:
            return await call.end("NOT_FOUND", "RESUME_TOKEN_UNKNOWN")
        if when > 0:
            await call.accept()
        if when > 1:
            await call.read()
        if when > 2:
            await call.audio(0, TONE[:200])
        if when > 3:
            await call.write(EVENT)
        if code != "OK":
            await call.end(code)

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        heard = await (exchange(live, 1) if when == 5 else exchange_until(
            live, lambda: len(server.starts) > 1 and is_connected(live)))
        assert heard[2400:].all()
        assert len(server.starts) < 20
        await live.close()


@in_loop
async def test_a_recording_that_a_server_ends_early_is_no_success():
    async def script(call):
        await call.accept()
        await call.read()
        await call.audio(0, bytes(640))

    async with HostileServer(script) as server:
        with pytest.raises(anechoic.SessionEnded, match="although its input goes on"):
            async with anechoic.Session(server.address, microphone=MONO, real_time=False) as session:
                async for _ in session.process(np.zeros(160000, np.int16)):
                    pass


@pytest.mark.parametrize("details", [b"\xff\xff\xff", b""])
@in_loop
async def test_details_that_are_no_message_are_no_details(details):
    async def script(call):
        await call.end("UNAUTHENTICATED", "bad\ntoken \x1b[31m", details=details)

    async with HostileServer(script) as server:
        with pytest.raises(anechoic.Unauthenticated) as caught:
            async with anechoic.Session(server.address, microphone=MONO):
                pass
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)


@in_loop
async def test_a_gap_of_20_seconds_is_read_whole_and_counted_once():
    async def script(call):
        await call.accept()
        if call.start.resume_token:
            return await call.serve()
        while call.heard < 8000:
            request = await call.read()
            await call.audio(request.audio.microphone.first_sample, request.audio.microphone.samples)
        await asyncio.sleep(0.1)
        await call.end("UNAVAILABLE")

    async def resume(call):
        # A server that conceals 10 s of the gap, and has not counted the rest.
        before, wanted = 8000, call.start.resume_point.microphone_sample
        expected = min(wanted, before + 160000)
        how = api.Started.Resumed(microphone_sample=expected, concealed_samples=expected - before)
        await call.accept(resumed=how)
        call.heard = expected
        await call.serve()

    async def both(call):
        await (resume(call) if call.start.resume_token else script(call))

    async with HostileServer(both) as server:
        policy = anechoic.Reconnect(shortest_delay=0.4)
        async with anechoic.Session(server.address, microphone=MONO, reconnect=policy) as session:
            await feed(session, 0.5)
            outputs = [await session._link.inbox.output.next()]
            await until(lambda: not session.is_connected)
            fed = 8000
            for _ in range(1000):  # 20 s while the server is away.
                session.feed_nowait(TONE)
                fed += 320
            await until(lambda: session.is_connected)
            await feed(session, 0.5)
            fed += 8000
            await session.finish()
            outputs += [each async for each in session]
    position = 0
    for each in outputs:
        assert each.first_sample == position
        position += len(each.samples)
        assert len(each.samples) <= 16000
    lost = sum(len(each.samples) for each in outputs if each.is_lost)
    assert position == fed and lost == session.lost_samples == session.dropped_samples == 18 * 16000


@in_loop
async def test_a_gap_that_nobody_reads_takes_no_room_and_drops_nothing():
    from anechoic._output import OutputQueue
    queue = OutputQueue(MONO, {}, is_real_time=True)
    queue.add_gap(0, 20 * 16000)
    for first in range(20 * 16000, 29 * 16000, 320):
        queue.add(Output(np.zeros(320, np.int16), first, None, ()))
    assert queue.dropped_samples == 0
    whole = await queue.read(29 * 16000)
    assert len(whole) == 29 * 16000


@in_loop
async def test_a_flood_of_errors_does_not_fill_the_log(caplog):
    async def script(call):
        await call.end("FAILED_PRECONDITION", f"REASON_{len(server.starts)}")

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        live._told = {str(number) for number in range(99)}
        with caplog.at_level(logging.ERROR, "anechoic"):
            await exchange(live, 1.5)
        await live.close()
    assert len(server.starts) > 2 and len(caplog.records) == 1


@in_loop
async def test_other_calls_survive_answers_that_are_no_messages():
    def garbage(kind):
        async def unary(request, context):
            return b"\xff\xff\xff"

        async def stream(request, context):
            yield b"\xff\xff\xff"

        if kind == "unary":
            return grpc.unary_unary_rpc_method_handler(unary)
        return grpc.unary_stream_rpc_method_handler(stream)

    methods = {
        "/anechoic.v1.SessionService/GetSession": garbage("unary"),
        "/anechoic.v1.SessionService/WatchSession": garbage("stream"),
        "/anechoic.v1.VoiceProcessingService/JoinSession": garbage("stream"),
    }
    async with HostileServer(None, **methods) as server:
        async with anechoic.Sessions(server.address) as sessions:
            with pytest.raises(anechoic.ServerUnavailable, match="no message"):
                await sessions.get("a")
            with pytest.raises(anechoic.ServerUnavailable, match="no message"):
                async for _ in sessions.watch("a"):
                    pass
        with pytest.raises(anechoic.ServerUnavailable, match="no message"):
            async with anechoic.Playback(server.address, b"token"):
                pass
