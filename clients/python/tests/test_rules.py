"""The rules of docs/reference/clients.md with a real server. The conformance vectors judge the rest."""

import asyncio
import logging

import numpy as np
import pytest
from conftest import event, in_loop
from hostile import HostileServer

import anechoic
from anechoic import Format
from anechoic.enums import InjectionPermission, MicMode
from anechoic._alignment import AlignedVoice
from anechoic._outbox import Outbox
from anechoic._output import Output
from anechoic._state import State
from anechoic.v1 import config_pb2, voice_processing_pb2 as api

MONO = Format(16000)
noise = np.random.default_rng(1)


class Talk:
    """Feeds a session or a filter in real time with noise, and keeps what comes back."""

    def __init__(self, feed):
        self.feed, self.fed = feed, 0
        self.task = asyncio.create_task(self.run())

    async def run(self):
        loop = asyncio.get_running_loop()
        began = loop.time()
        while True:
            await self.feed((noise.standard_normal(320) * 3000).astype(np.int16))
            self.fed += 320
            await asyncio.sleep(max(0, began + self.fed / 16000 - loop.time()))

    async def end(self):
        self.task.cancel()
        await asyncio.wait([self.task])


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)


def filter_of(live):
    """A `feed` for `Talk`, and the frames that the filter returned."""
    heard = []

    async def feed(samples):
        heard.append(np.frombuffer(live.exchange(samples.tobytes(), MONO), np.int16))

    return feed, heard


@in_loop
async def test_a_new_session_has_no_debt(start_server):
    server = start_server()
    async with anechoic.Session(server.address, microphone=MONO, statistics_interval=0) as session:
        talk = Talk(session.feed)
        await until(lambda: session.read_nowait() is not None)
        server.stop()
        await event(session, anechoic.Reconnecting)
        await asyncio.sleep(2.5)
        start_server(listen=server.address)
        again = await event(session, anechoic.Restarted)
        lags = []
        while len(lags) < 50:
            output = session.read_nowait()
            if output is None:
                await asyncio.sleep(0.005)
            elif not output.is_lost and output.first_sample >= again.sample:
                lags.append(talk.fed - output.first_sample - len(output.samples))
        await talk.end()
    assert again.lost_samples > 2 * 16000
    assert session.dropped_samples > 2 * 16000
    assert np.median(lags) < 1600, lags


@in_loop
async def test_a_filter_is_processed_again_within_a_second(start_server):
    server = start_server()
    live = anechoic.LiveFilter(server.address)
    feed, _ = filter_of(live)
    talk = Talk(feed)
    await until(lambda: live.session is not None)
    await asyncio.sleep(1)
    server.stop()
    await asyncio.sleep(2)
    loop = asyncio.get_running_loop()
    start_server(listen=server.address)
    began = loop.time()
    await event(live.session, anechoic.Restarted)
    while True:
        replaced, heard = live.replaced_samples, talk.fed
        await asyncio.sleep(0.1)
        if talk.fed > heard and live.replaced_samples == replaced:
            break
    took = loop.time() - began
    await talk.end()
    await live.close()
    assert took < 1.5, took  # A retry, the start and 100 ms of this test.


@in_loop
async def test_a_filter_begins_each_session_with_the_mute_state_of_the_one_before(server):
    live = anechoic.LiveFilter(server, session_id="rules-mute")
    feed, heard = filter_of(live)
    talk = Talk(feed)
    await until(lambda: live.session is not None)
    muting = asyncio.create_task(live.session.mute())
    await asyncio.sleep(0)  # The control is under way.
    await talk.end()
    for rate in (48000, 8000):
        old = live.session
        for _ in range(40):
            frame = (noise.standard_normal(rate // 50) * 3000).astype(np.int16)
            assert not np.frombuffer(live.exchange(frame.tobytes(), Format(rate)), np.int16).any()
            await asyncio.sleep(0.02)
        assert live.session is not old and live.session.is_muted and live.session.id == "rules-mute"
    async with anechoic.Sessions(server) as sessions:
        assert (await sessions.get("rules-mute")).mute.muted
    await asyncio.wait([muting])
    await live.close()


@in_loop
async def test_a_filter_can_be_muted_and_unmuted_while_there_is_no_session(start_server):
    server = start_server()
    live = anechoic.LiveFilter(server.address)
    feed, heard = filter_of(live)
    talk = Talk(feed)
    await until(lambda: live.session is not None)
    await asyncio.sleep(0.5)
    server.stop()
    await until(lambda: not live.session.is_connected)
    assert heard[-1].any()
    live.mute()
    await asyncio.sleep(0.1)
    assert live.is_muted and not heard[-1].any() and not heard[-2].any()
    start_server(listen=server.address)
    await until(lambda: live.session.is_connected)
    async with anechoic.Sessions(server.address) as sessions:
        assert (await sessions.get(live.session.id)).mute.muted
        live.unmute()
        await until(lambda: not live.is_muted)
        assert not (await sessions.get(live.session.id)).mute.muted
    await asyncio.sleep(0.3)
    assert heard[-1].any()
    await talk.end()
    await live.close()


@in_loop
async def test_a_muted_microphone_is_not_heard_by_a_delay_that_ends_after_it_is_unmuted():
    live = anechoic.LiveFilter("127.0.0.1:1", muted=True)
    loud = np.full(320, 1000, np.int16).tobytes()
    for _ in range(10):
        assert not any(live.exchange(loud, MONO))
    live.unmute()
    after = np.frombuffer(b"".join(live.exchange(loud, MONO) for _ in range(10)), np.int16)
    assert not after[:1280].any() and (after[1280:] == 1000).all()
    await live.close()


@in_loop
async def test_settings_and_permissions_outlive_a_session_whoever_changed_them(start_server):
    server = start_server()
    options = {
        "session_id": "rules-state", "labels": {"room": "7"}, "client": "kiosk",
        "settings": {"preferred_injection_mode": "SPOKEN_AUDIO"},
    }
    async with anechoic.Session(server.address, microphone=MONO, **options) as session:
        talk = Talk(session.feed)
        await session.configure({"voice_activity_detection.enabled": True})
        async with anechoic.Sessions(server.address, client="speaker") as sessions:
            await sessions.configure("rules-state", {"preferred_mic_mode": "WIDE_SPECTRUM"})
            await sessions.mute("rules-state")
            asking = asyncio.create_task(sessions.ask_to_inject("rules-state", "Speaks"))
            asked = await event(session, anechoic.events.InjectionPermissionRequested)
            await session.decide_injection(asked.client, True)
            assert await asking == InjectionPermission.GRANTED
            await event(session, anechoic.MuteChanged)
        server.stop()
        await event(session, anechoic.Reconnecting)
        start_server(listen=server.address)
        await event(session, anechoic.Restarted)
        assert session.id == "rules-state"
        async with anechoic.Sessions(server.address, client="speaker") as sessions:
            again = await sessions.get("rules-state")
            assert again.mute.muted and again.labels == {"room": "7"} and again.owner == "kiosk"
            assert again.config.voice_activity_detection.enabled
            assert again.active_mic_mode == MicMode.WIDE_SPECTRUM
            assert await sessions.ask_to_inject("rules-state", "Speaks") == InjectionPermission.GRANTED
            # The stages still follow the mic mode.
            isolated = await sessions.configure("rules-state", {"preferred_mic_mode": "VOICE_ISOLATION"})
            assert isolated.config.voice_processing.noise_suppression.level == 4
        await talk.end()


@in_loop
async def test_an_id_that_is_in_use_is_replaced_by_another_one(start_server):
    servers = [start_server(), start_server()]
    addresses = [each.address for each in servers]
    policy = anechoic.Reconnect(loyalty=0.1)
    async with anechoic.Session(addresses[1], microphone=MONO, session_id="py-1"):
        async with anechoic.Session(addresses, microphone=MONO, session_id="py-1", reconnect=policy) as session:
            talk = Talk(session.feed)
            await asyncio.sleep(0.2)
            servers[0].stop()
            await event(session, anechoic.Restarted)
            assert session.id != "py-1"
            await talk.end()


@in_loop
async def test_a_deadline_that_passed_on_the_way_is_a_lost_connection():
    from anechoic._status import was_connection_lost
    import grpc

    for code in ("DEADLINE_EXCEEDED", "UNAVAILABLE", "CANCELLED", "INTERNAL", "UNKNOWN"):
        assert was_connection_lost(grpc.aio.AioRpcError(grpc.StatusCode[code], None, None))
    assert not was_connection_lost(grpc.aio.AioRpcError(grpc.StatusCode.ABORTED, None, None))


@in_loop
async def test_a_filter_reports_a_refusal_for_good_once_and_tries_again(server, caplog):
    live = anechoic.LiveFilter(server, engine="steam")
    live._policy = anechoic.Reconnect()
    attempts = []
    serve = live._serve

    async def counted():
        attempts.append(asyncio.get_running_loop().time())
        await serve()

    live._serve = counted
    feed, heard = filter_of(live)
    with caplog.at_level(logging.ERROR, "anechoic"):
        talk = Talk(feed)
        await until(lambda: len(attempts) == 3)
        await talk.end()
        await live.close()
    assert all(3.5 <= pause < 6.6 for pause in np.diff(attempts)), attempts
    assert len(caplog.records) == 1 and "raw audio passes" in caplog.text
    assert heard[-1].any()


@in_loop
async def test_a_filter_tries_for_ever_at_short_times(caplog):
    live = anechoic.LiveFilter("127.0.0.1:1")
    attempts = []
    serve = live._serve

    async def counted():
        attempts.append(asyncio.get_running_loop().time())
        await serve()

    live._serve = counted
    live.exchange(bytes(640), MONO)
    await until(lambda: len(attempts) == 8)
    await live.close()
    pauses = np.diff(attempts)
    assert 0.06 < pauses[0] < 0.3 and 0.34 < pauses[-1] < 0.8, pauses


def test_stages_that_nobody_has_set_still_follow_the_mic_mode():
    state, started = State(), api.Started()
    stage = started.config.voice_processing.noise_suppression
    stage.enabled = True
    stage.level = 2
    state.began(api.Start(), started)
    isolated = config_pb2.SessionConfig()
    isolated.CopyFrom(started.config)
    isolated.preferred_mic_mode = 2
    isolated.voice_processing.noise_suppression.level = 4
    state.config_changed(isolated)
    start = api.Start()
    state.continue_in(start)
    assert start.config.preferred_mic_mode == 2
    assert not start.config.voice_processing.HasField("noise_suppression")
    loud = config_pb2.SessionConfig()
    loud.CopyFrom(isolated)
    loud.voice_processing.noise_suppression.level = 1
    state.config_changed(loud)
    state.continue_in(start)
    assert start.config.voice_processing.noise_suppression.level == 1


def test_a_later_request_counts_although_an_earlier_one_is_answered_in_between():
    state = State()
    first, second = state.want_mute(False), state.want_mute(True)
    state.mute_answered(first, False)
    assert state.is_muted and state.starts_muted
    state.mute_answered(second, None)
    assert not state.is_muted


def test_raw_audio_is_as_late_as_the_voice():
    """The processing delays the voice by 160 samples: its sample 160 is the first one of the microphone."""
    voice, heard = AlignedVoice(2, 16000, 320, passes_raw=True), []
    voice.lag_samples = 160
    raw = np.arange(1, 3201, dtype=np.int16)
    for first in range(0, 3200, 320):
        if 640 <= first < 1600:
            voice.add(Output(raw[first - 160 : first + 160], first, None, ()), 0)
        heard.append(voice.exchange(raw[first : first + 320].tobytes()))
    returned = np.frombuffer(b"".join(heard), np.int16)
    assert (returned[:480] == 0).all() and (returned[480:] == raw[:-480]).all()
    assert 0 < voice.replaced_samples < 3200


def test_the_session_does_not_count_what_a_stalled_program_gives_late():
    outbox = Outbox({"microphone": MONO, "reference": Format(48000)}, 0.02, True, False)
    outbox.microphone.add(bytes(640))
    outbox.track("reference").add(bytes(1920))
    assert outbox.next_message().audio.microphone.first_sample == 0
    outbox.microphone.add(bytes(640) + b"\1\0" * 320)
    outbox.track("reference").add(bytes(1920) + b"\2\0" * 960)
    outbox.drop_waiting(320)
    audio = outbox.next_message().audio
    assert audio.microphone.first_sample == 320 and audio.microphone.samples == b"\1\0" * 320
    assert audio.reference.first_sample == 960 and audio.reference.samples == b"\2\0" * 960
    assert (outbox.dropped_samples, outbox.sent) == (320, 960)
    outbox.drop_waiting(1000)
    assert (outbox.dropped_samples, outbox.sent) == (320, 960), "nothing waits"


def test_what_other_inputs_have_beyond_the_microphone_is_left_out():
    outbox = Outbox({"microphone": MONO, "reference": MONO}, 0.02, True, False)
    reference = outbox.track("reference")
    outbox.microphone.add(bytes(640))
    reference.add(bytes(640), time=1_000)
    outbox.next_message()
    for block in range(100):
        outbox.leave_out("reference")
        reference.add(bytes([block]) * 640, time=2_000 + block)
        assert reference.end == 640
    assert reference.time_of(320) == 2_099
    outbox.leave_out("microphone")
    outbox.microphone.add(bytes(640))
    assert outbox.next_message().audio.reference.samples == bytes([99]) * 640


def test_late_voice_is_dropped_and_counted():
    voice = AlignedVoice(2, 16000, 320, passes_raw=True)
    raw = np.arange(1, 1601, dtype=np.int16)
    voice.exchange(raw.tobytes())
    voice.add(Output(np.full(1600, -1, np.int16), 0, None, ()), 0)
    assert (voice.late_samples, voice.most_late_samples) == (1280, 1280)
    rest = np.frombuffer(voice.exchange(bytes(640)), np.int16)
    assert (rest == -1).all()


REFUSALS = [
    ("NOT_FOUND", "NO_PROFILE"), ("FAILED_PRECONDITION", "PROFILES_OFF"), ("INTERNAL", "ENGINE_FAILED"),
    ("ABORTED", "IDLE"), ("RESOURCE_EXHAUSTED", "SERVER_FULL"), ("UNAVAILABLE", "DRAINING"), ("DATA_LOSS", ""),
]
"""Refusals that are not for good."""


def refusing(refusals, *, of_resumes=False):
    """A script: the session is lost, attempts are refused one after another, and the next one is accepted."""
    waiting, calls = list(refusals), []

    async def script(call):
        calls.append(call)
        if len(calls) == 1:
            await call.accept()
            await call.read()
            await call.end("UNAVAILABLE")
        elif call.start.resume_token and not of_resumes:
            await call.end("NOT_FOUND", "RESUME_TOKEN_UNKNOWN")
        elif waiting:
            await call.end(*waiting.pop(0))
        else:
            await call.accept()
            await call.serve()

    return script


@in_loop
async def test_a_new_session_that_is_refused_is_tried_again():
    policy = anechoic.Reconnect(shortest_delay=0.05, longest_delay=0.1)
    async with HostileServer(refusing(REFUSALS)) as server:
        async with anechoic.Session(server.address, microphone=MONO, reconnect=policy) as session:
            talk = Talk(session.feed)
            await event(session, anechoic.Restarted)
            await talk.end()
    assert [bool(each.resume_token) for each in server.starts] == [False, True] + 8 * [False]
    pauses = np.diff(server.times)[2:]
    assert (pauses > 0.03).all(), pauses


@in_loop
async def test_a_refusal_to_resume_does_not_give_the_session_up():
    refusals = [("NOT_FOUND", "NO_PROFILE"), ("FAILED_PRECONDITION", "PROFILES_OFF"), ("INTERNAL", "ENGINE_FAILED")]
    async with HostileServer(refusing(refusals, of_resumes=True)) as server:
        async with anechoic.Session(server.address, microphone=MONO) as session:
            talk = Talk(session.feed)
            await event(session, anechoic.Resumed)
            await talk.end()
    assert [bool(each.resume_token) for each in server.starts] == [False] + 4 * [True]


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "UNIMPLEMENTED", "UNAUTHENTICATED", "PERMISSION_DENIED"])
@in_loop
async def test_a_new_session_that_is_refused_for_good_fails(code):
    async with HostileServer(refusing([(code, "ANY")])) as server:
        async with anechoic.Session(server.address, microphone=MONO) as session:
            talk = Talk(session.feed)
            with pytest.raises(anechoic.AnechoicError) as caught:
                await event(session, anechoic.Restarted)
            await talk.end()
    assert caught.value.status == code and len(server.starts) == 3


@in_loop
async def test_a_new_session_waits_for_the_time_that_the_refusal_names():
    async with HostileServer(refusing([("FAILED_PRECONDITION", "PROFILES_OFF", 1)])) as server:
        async with anechoic.Session(server.address, microphone=MONO) as session:
            talk = Talk(session.feed)
            await event(session, anechoic.Restarted)
            await talk.end()
    assert 1 <= server.times[3] - server.times[2] < 1.6
