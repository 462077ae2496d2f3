"""Times of devices, reports of playback, and changes of devices."""

import asyncio

import grpc
import numpy as np
import pytest
from conftest import collect, event, in_loop, level

import anechoic
from anechoic import Format
from anechoic.enums import InterruptionReason, PolarPattern, PortType, RouteChangeReason
from anechoic.events import AudioPort, AudioRoute, Interruption, MicrophonePair, RouteChanged
from anechoic.v1 import voice_processing_pb2 as api

MONO = Format(16000)


class Recorder(grpc.GenericRpcHandler):
    """A server that starts every session, returns its microphone, and keeps what it is sent."""

    def __init__(self):
        self.requests = []

    def service(self, details):
        return grpc.stream_stream_rpc_method_handler(
            self.process, api.ProcessRequest.FromString, api.ProcessResponse.SerializeToString)

    async def process(self, requests, context):
        yield api.ProcessResponse(started=api.Started(session="sessions/x"))
        async for request in requests:
            self.requests.append(request)
            if request.HasField("audio"):
                output = api.AudioOutput(processed=request.audio.microphone)
                output.playback.samples = 3 * request.audio.microphone.samples
                yield api.ProcessResponse(audio=output)

    async def __aenter__(self):
        self.server = grpc.aio.server()
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.add_generic_rpc_handlers([self])
        await self.server.start()
        return self

    async def __aexit__(self, *_):
        await self.server.stop(None)


@in_loop
async def test_each_chunk_has_the_time_of_its_first_sample():
    async with Recorder() as recorder:
        async with anechoic.Session(recorder.address, microphone=MONO, reference=Format(8000)) as session:
            for number in range(5):
                # 16 ms at a time, which are sent at least 20 ms at a time.
                await session.feed(np.zeros(256, np.int16), np.zeros(128, np.int16),
                                   microphone_time=7 + number * 0.016, reference_time=7.5 + number * 0.016)
            await session.read(1280)
            await session.feed(np.zeros(320, np.int16), np.zeros(160, np.int16))
            await session.finish()
            await collect(session)
    chunks = [each.audio for each in recorder.requests if each.HasField("audio")]
    timed = [each for each in chunks if each.microphone.HasField("device_time_ns")]
    assert timed and not chunks[-1].microphone.HasField("device_time_ns")
    for each in timed:
        assert each.microphone.device_time_ns == pytest.approx(7e9 + each.microphone.first_sample * 62_500, abs=2)
        assert each.reference.device_time_ns == pytest.approx(7.5e9 + each.reference.first_sample * 125_000, abs=2)


@in_loop
async def test_reports_of_playback_are_sent_between_the_audio():
    async with Recorder() as recorder:
        async with anechoic.Session(
            recorder.address, microphone=MONO, far_end=MONO, playback=Format(48000)
        ) as session:
            await session.feed(np.zeros(320, np.int16), far_end=np.zeros(320, np.int16))
            await session.read(320)
            session.report_playback(480, 9.25, silence_samples=7, skipped_samples=8, rate_ppm=-1.5)
            await session.feed(np.zeros(320, np.int16), far_end=np.zeros(320, np.int16))
            await session.finish()
            await collect(session)
    reports = [each.playback_report for each in recorder.requests if each.HasField("playback_report")]
    assert reports == [api.PlaybackReport(
        first_sample=480, device_time_ns=9_250_000_000, silence_samples=7, skipped_samples=8, rate_ppm=-1.5)]


@in_loop
async def test_playback_that_is_reported_needs_no_reference(server, microphone, reference):
    async with anechoic.Session(
        server, microphone=MONO, far_end=MONO, playback=MONO, real_time=False
    ) as session:
        parts = []

        async def read():
            async for part in session:
                if not parts:
                    # The loudspeaker plays the far end at the time at which the microphone hears it.
                    session.report_playback(part.first_playback_sample, 100.0)
                parts.append(part)

        reading = asyncio.create_task(read())
        for first in range(0, len(microphone.samples), 320):
            await session.feed(microphone.samples[first:first + 320], far_end=reference.samples[first:first + 320],
                               microphone_time=100 + first / 16000)
        await session.finish()
        await reading
    voice = np.concatenate([part.samples for part in parts])
    assert level(microphone.samples, 3, 8) - level(voice, 3, 8) > 20
    assert parts[-1].first_playback_sample == parts[-1].first_sample


@in_loop
async def test_changes_of_devices_become_events(server):
    speakerphone = AudioPort("usb-1", "Speakerphone", PortType.USB)
    async with anechoic.Session(server, microphone=MONO, real_time=False) as session:
        session.report_route(AudioRoute(speakerphone, speakerphone), previous=AudioRoute(AudioPort("built-in")))
        session.report_interruption(True, reason=InterruptionReason.DEVICE_BUSY)
        session.report_interruption(False, should_resume=True)
        session.report_route(None)
        await session.feed(np.zeros(16000, np.int16))
        await session.finish()
        await collect(session)
        events = [each async for each in session.events()]
    routes = [each for each in events if isinstance(each, RouteChanged)]
    assert routes[0].current.input == speakerphone and routes[0].previous.input.port_id == "built-in"
    assert [each.reason for each in routes] == [RouteChangeReason.NEW_DEVICE, RouteChangeReason.NO_SUITABLE_ROUTE]
    assert [each.began for each in events if isinstance(each, Interruption)] == [True, False]


@in_loop
async def test_a_new_session_is_told_the_route_and_the_interruptions_that_last(start_server):
    server = start_server()
    headset = AudioRoute(AudioPort("headset", headphones=True))
    policy = anechoic.Reconnect(loyalty=0.1)
    servers = [server.address, start_server().address]
    async with anechoic.Session(servers, microphone=MONO, reconnect=policy) as session:
        async def feed():
            while True:
                await session.feed(np.zeros(320, np.int16))
                await asyncio.sleep(0.02)

        feeding = asyncio.create_task(feed())
        session.report_route(headset)
        for reason in (InterruptionReason.DEVICE_BUSY, InterruptionReason.SUSPENDED, InterruptionReason.HARDWARE_MUTED):
            session.report_interruption(True, reason=reason)
        session.report_interruption(False, reason=InterruptionReason.SUSPENDED)
        await event(session, RouteChanged, current=headset)
        await event(session, Interruption, began=False)
        server.stop()
        told = []
        async for each in session.events():
            if isinstance(each, (RouteChanged, Interruption, anechoic.Restarted)):
                told.append(each)
            if len(told) == 9:
                break
        feeding.cancel()
    assert isinstance(told[5], anechoic.Restarted)
    assert told[6].current == headset
    assert [each.reason for each in told[7:]] == [InterruptionReason.DEVICE_BUSY, InterruptionReason.HARDWARE_MUTED]


@in_loop
async def test_wrong_reports_are_refused(server):
    async with anechoic.Session(server, microphone=MONO, playback=MONO, far_end=MONO) as session:
        with pytest.raises(anechoic.InvalidRequest, match="sample 0 of the playback has not arrived yet"):
            session.report_playback(0, 1.0)
        await session.feed(np.zeros(3200, np.int16), far_end=np.zeros(3200, np.int16))
        await session.read(320)
        for values in ({"first_sample": "x"}, {"first_sample": 0, "silence_samples": -1}):
            with pytest.raises(anechoic.InvalidRequest, match="the value is not valid"):
                session.report_playback(**values, time=1.0)
        with pytest.raises(anechoic.InvalidRequest, match="time"):
            session.report_playback(0, float("nan"))
        with pytest.raises(anechoic.InvalidRequest, match="microphone_time"):
            await session.feed(b"ab", microphone_time=float("inf"))
        with pytest.raises(anechoic.InvalidRequest, match="input"):
            session.report_route(AudioRoute(AudioPort(5)))
    async with anechoic.Session(server, microphone=MONO) as session:
        with pytest.raises(anechoic.InvalidRequest, match="has no such output"):
            session.report_playback(0, 1.0)


@in_loop
async def test_two_microphones_hear_in_a_direction_and_a_device_is_turned(server):
    front = MicrophonePair(343 / 16, PolarPattern.CARDIOID)
    tone = np.sin(np.arange(16000) * 2 * np.pi * 500 / 16000) / 4
    # The sound comes from the side of the first microphone.
    sound = np.stack([tone, np.concatenate([[0], tone[:-1]])], axis=1).astype(np.float32)
    stereo = Format(16000, channels=2, encoding="f32")
    options = {"microphone": stereo, "microphone_pair": front, "settings": {"voice_processing.bypassed": True}}
    async with anechoic.Session(server, real_time=False, **options) as session:
        await session.feed(sound)
        heard = await session.read(12000)
        turned = MicrophonePair(343 / 16, PolarPattern.CARDIOID, turned=True)
        session.report_route(
            AudioRoute(AudioPort("tablet", microphone_pair=turned)), reason=RouteChangeReason.CONFIGURATION_CHANGE)
        assert (await event(session, RouteChanged)).current.input.microphone_pair.turned
        await session.feed(sound)
        await session.finish()
        unheard = (await collect(session))[-8000:]
    assert level(heard.reshape(-1, 2)[:, 0], 0.25, 0.75) > -17
    assert level(unheard.reshape(-1, 2)[:, 0], 0, 0.5) < -45


def test_a_pair_that_is_none_is_refused():
    for pair in (20, "cardioid", MicrophonePair(20, 7), MicrophonePair("wide", PolarPattern.STEREO)):
        with pytest.raises(anechoic.InvalidRequest, match="microphone_pair"):
            anechoic.Session("127.0.0.1:1", microphone=Format(16000, channels=2), microphone_pair=pair)._plan.check()
