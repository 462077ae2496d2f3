"""Arguments of wrong types: each is an `InvalidRequest` that names the argument, and never an error from inside."""

import inspect

import numpy as np
import pytest
from conftest import in_loop

import anechoic
from anechoic import Connection, EdgeAgent, Format, LiveFilter, MicrophonePair, Playback, Reconnect, Session, Sessions
from anechoic import Source, WavReader, WavWriter
from anechoic.enums import InterruptionReason, PolarPattern, RouteChangeReason
from anechoic.events import AudioPort, AudioRoute

MONO = Format(16000)
WRONG = [
    None, "48000", 5, 1.5, b"x", [], {}, True, float("nan"), -1, ("a",), "\ud800", 1 << 70, lambda: 5, "",
    np.zeros(2), np.ones(2, np.int64), np.ones((1, 1)), np.array(5), np.array("x"), np.zeros(0),
]
NOWHERE = Connection("127.0.0.1:1", connect_timeout=0)


async def used(make):
    """Calls a function, and takes the first result of one that yields results."""
    result = make()
    if hasattr(result, "__anext__"):
        return await anext(result)
    if inspect.isawaitable(result):
        return await result
    if not isinstance(result, (Session, Sessions, EdgeAgent, Playback)) and hasattr(result, "__aenter__"):
        return await result.__aenter__()


async def check(function, allowed=(), **right):
    """Replaces each argument in turn by an object, which suits nowhere, and by values of other types."""
    for name in right:
        with pytest.raises(anechoic.InvalidRequest) as caught:
            await used(lambda: function(**{**right, name: object()}))
        text = str(caught.value)
        assert name in text and "\n" not in text, f"{function}: {name}: {text}"
        for value in WRONG:
            try:
                await used(lambda: function(**{**right, name: value}))
            except (anechoic.AnechoicError, *allowed):
                pass


@in_loop
async def test_formats_places_and_limits():
    await check(Format, rate=16000, channels=1, encoding="s16")
    await check(Format, rate=16000, channels=1, encoding="opus", bit_rate=32000, complexity=5, fec=True)
    await check(lambda **place: Source(**place)._message(), far_end="a", azimuth=0, elevation=0, distance=1, gain_db=0)
    await check(Reconnect, shortest_delay=0.1, longest_delay=0.5, attempt_timeout=2.0, silence=2.0)
    await check(MONO.to_bytes, audio=b"ab")
    await check(MONO.to_array, data=b"ab")


@in_loop
async def test_the_constructors():
    others = {"far_end": None, "other_audio": None, "processed": None, "recognizer": None, "raw": None}
    texts = {"client": "", "session_id": "", "engine": ""}
    flags = dict.fromkeys(
        ("playback_elsewhere", "muted", "intermittent_reference", "learn_echo_path", "enroll_voice"), False)
    times = {"chunk": 0.02, "statistics_interval": 1.0, "resume_window": None}
    await check(
        Session, server="127.0.0.1:1", microphone=MONO, reference=None, playback=MONO, far_ends={"a": MONO}, **others,
        **texts, **flags, **times, real_time=True, settings=None, labels=None, microphone_pair=None, echo_path=b"",
        voiceprint=b"", reconnect=Reconnect(), on_injection_permission=None, on_mute_gesture=None)
    await check(
        LiveFilter, server="127.0.0.1:1", on_loss="raw", settings=None, reconnect=Reconnect(), output="processed",
        delay=0.05)
    await check(
        lambda address, **options: Connection(address, **options), client="", token=None, token_file=None, tls=False,
        ca_file=None, certificate_file=None, key_file=None, connect_timeout=2.0, address="127.0.0.1:1")
    await check(Playback, server=NOWHERE, token=b"x", session_id="")
    await check(Sessions, server="127.0.0.1:1", client="")
    await check(EdgeAgent, socket="/no/agent")


@pytest.mark.parametrize("path", [
    "mute.gesture_policy", "preferred_mic_mode", "spatial_audio.sources", "mute.gesture_decision_timeout",
    "voice_processing.bypassed", "voice_processing.gain_control.target_level_dbfs", "voice_processing",
])
def test_settings(path):
    for value in [object(), *WRONG]:
        try:
            Session(NOWHERE, microphone=MONO, settings={path: value})
        except anechoic.InvalidRequest as error:
            assert str(error).startswith(path)
    with pytest.raises(anechoic.InvalidRequest, match="spatial_audio.sources"):
        Session(NOWHERE, microphone=MONO, settings={"spatial_audio.sources": [Source("alice", "90")]})


@in_loop
async def test_a_filter():
    live = LiveFilter("127.0.0.1:1")
    await check(lambda data, format: live.exchange(data, format), data=b"ab", format=MONO)
    await check(live.play, data=b"ab", format=MONO)
    await check(live.announce_reference, format=MONO)
    await check(live.listen, listener=print)
    await live.close()


@in_loop
async def test_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    target, missing = tmp_path / "target.wav", (OSError,)
    await check(WavReader, missing, path="/no/file")
    await check(WavWriter, missing, path=target, format=MONO)
    with WavWriter(target, MONO) as file:
        await check(file.write, samples=np.zeros(5, np.int16))
    with WavReader(target) as file:
        await check(file.read, count=5)
    await check(
        anechoic.process, missing, microphone="/no/file", output=target, reference=None, on_event=None)


@in_loop
async def test_an_open_session(server):
    far_ends = {"alice": MONO}
    async with Session(server, microphone=MONO, reference=MONO, playback=MONO, far_ends=far_ends) as session:
        audio = {"microphone": b"", "reference": b"", "far_ends": None, "reference_time": None}
        await check(session.feed, **audio, microphone_time=None)
        await check(session.feed_nowait, **audio, microphone_time=None)
        await check(session.set_voiceprint, voiceprint=b"")
        await check(session.decide_gesture, gesture_id="a", accept=True)
        await check(session.decide_injection, client="a", grant=True, remember=False)
        await check(session.report_playback, first_sample=0, time=1.0, silence_samples=0, skipped_samples=0, rate_ppm=0.0)
        await check(session.report_route, current=AudioRoute(), reason=RouteChangeReason.NEW_DEVICE, previous=None)
        for name, value in {"port_id": "a", "display_name": "", "headphones": False, "microphone_pair": None}.items():
            with pytest.raises(anechoic.InvalidRequest):
                session.report_route(AudioRoute(AudioPort(**{"port_id": "a", name: object()})))
            session.report_route(AudioRoute(AudioPort(**{"port_id": "a", name: value})))
        for port in (AudioPort("a", type="usb"), "desk"):
            with pytest.raises(anechoic.InvalidRequest, match="input: "):
                session.report_route(AudioRoute(port))
        await check(session.report_head_pose, yaw=0.0, pitch=0.0, roll=0.0, quaternion=None, time=None)
        reason = list(InterruptionReason)[1]
        await check(session.report_interruption, began=True, reason=reason, should_resume=False)
        for use in (session.mute, session.unmute, lambda at_sample: session.configure({}, at_sample=at_sample)):
            for value in ("5", 1.5, b"x", [], -1, object()):
                with pytest.raises(anechoic.InvalidRequest, match="at_sample"):
                    await use(at_sample=value)


@in_loop
async def test_a_second_connection(server):
    async with Session(server, microphone=MONO, session_id="types"), Sessions(server) as sessions:
        await check(sessions.watch, session="types", from_event=None, statistics_interval=0.0)
        for use in (sessions.mute, sessions.unmute):
            await check(use, session="types", if_generation=None)
        await check(sessions.configure, session="types", settings={})
        await check(sessions.label, session="types", labels={"a": "b"})
        await check(sessions.gesture, session="types", muted=None, gesture_id="", timeout=2.0)
        await check(sessions.ask_to_inject, session="nobody", usage="x")
        await check(sessions.say, session="nobody", text="x", voice="", only_here=False)
        await check(sessions.play, session="nobody", samples=np.zeros(5, np.int16), format=MONO, only_here=False)
        for use in (sessions.get, sessions.delete, sessions.injection, sessions.watch_injection):
            with pytest.raises(anechoic.InvalidRequest, match="session"):
                await used(lambda: use(object()))


@in_loop
async def test_an_edge_agent():
    async def nothing():
        return
        yield

    async with EdgeAgent("/no/agent") as agent:
        for use in (agent.begin_call, agent.end_call, agent.hold_call):
            await check(use, holder="a")
        await check(agent.decide_injection, client="a", permit=True)
        await check(agent.set_up_microphone, pattern=None, turned=False)
        await check(agent.turn_head, poses=nothing())
        await check(agent.play_far_end, name="a", format=MONO, samples=nothing(), place=None)
        with pytest.raises(anechoic.InvalidRequest, match="format: '48000' is not a format; use Format"):
            await agent.play_far_end("a", "48000", nothing())


def test_a_pair_of_microphones():
    for name in ("spacing_millimeters", "pattern", "turned"):
        pair = MicrophonePair(**{"spacing_millimeters": 20, "pattern": PolarPattern.CARDIOID, name: object()})
        with pytest.raises(anechoic.InvalidRequest, match="microphone_pair"):
            Session(NOWHERE, microphone=Format(16000, channels=2), microphone_pair=pair)
