"""`LiveFilter`: frames in a callback that never waits."""

import asyncio
import itertools
import logging
import os

import numpy as np
import pytest
from conftest import Proxy, in_loop
from hostile import HostileServer, RawServer

import anechoic
from anechoic import Format
from anechoic._alignment import AlignedVoice
from anechoic._output import Frame, Output
from anechoic._probability import VoiceProbability
from anechoic.enums import VoiceEnrollment
from anechoic.v1 import voice_processing_pb2 as api

MONO = Format(16000)
VOICE = api.Voiceprint(encoder="test", values=bytes(64)).SerializeToString()
ECHO_PATH = api.EchoPath(response=bytes(64)).SerializeToString()


class Callback:
    """Exchanges frames of a tone in real time, and keeps what was returned."""

    def __init__(self, live):
        self.live, self.heard = live, []
        self.frame = (np.sin(np.arange(320) * 0.2) * 8000).astype(np.int16).tobytes()

    async def until(self, condition):
        while not await condition():
            self.heard.append(np.frombuffer(self.live.exchange(self.frame, MONO), np.int16))
            await asyncio.sleep(0.02)

    async def frames(self, count):
        """Returns the next frames."""
        self.heard.clear()

        async def are_there():
            return len(self.heard) >= count

        await self.until(are_there)
        return np.concatenate(self.heard)


@in_loop
async def test_a_muted_voice_stays_silent_when_its_server_dies_and_comes_back(start_server):
    server = start_server()
    callback = Callback(anechoic.LiveFilter(server.address))

    async def runs():
        return callback.live.session is not None and callback.live.session.is_connected

    async def is_gone():
        return not callback.live.session.is_connected

    await callback.until(runs)
    assert (await callback.frames(20)).any()
    async with anechoic.Sessions(server.address) as sessions:
        await sessions.mute(callback.live.session.id)
    await callback.frames(20)
    server.stop()
    await callback.until(is_gone)
    assert not (await callback.frames(20)).any()
    start_server(listen=server.address)
    await callback.until(runs)
    assert callback.live.session.is_muted
    assert not (await callback.frames(20)).any()
    await callback.live.close()


async def run_sample(live, microphone, reference, seconds):
    """Lets a filter hear the sample in real time. Returns whether its session began with an echo path."""
    now, began, was_used = asyncio.get_running_loop().time, asyncio.get_running_loop().time(), False
    for first in range(0, round(seconds * 16000), 320):
        live.play(reference.samples[first:first + 320].tobytes(), MONO)
        live.exchange(microphone.samples[first:first + 320].tobytes(), MONO)
        session = live.session
        was_used = was_used or session is not None and session.is_connected and session.is_echo_path_used
        await asyncio.sleep(max(0, began + first / 16000 - now()))
    return was_used


@in_loop
async def test_a_filter_begins_with_the_echo_path_of_another(server, microphone, reference):
    learning = anechoic.LiveFilter(server, learn_echo_path=True)
    assert not await run_sample(learning, microphone, reference, 12)
    await learning.close()
    assert len(learning.echo_path) > 15_000
    keeping = anechoic.LiveFilter(server, echo_path=learning.echo_path)
    assert keeping.echo_path == learning.echo_path
    assert await run_sample(keeping, microphone, reference, 1)
    await keeping.close()
    assert keeping.echo_path == learning.echo_path
    with pytest.raises(anechoic.InvalidRequest, match="echo_path"):
        anechoic.LiveFilter(server, echo_path=b"\xff\xff")


@in_loop
async def test_a_filter_learns_a_voice_and_keeps_it_in_later_sessions(server, sample):
    voice = anechoic.Recording.read(sample / "near.wav").samples[9 * 16000 : 18 * 16000]  # A person talks.
    live = anechoic.LiveFilter(server, enroll_voice=True)
    frames = itertools.cycle(np.split(voice, len(voice) // 320))

    async def talk():
        live.exchange(next(frames).tobytes(), MONO)
        await asyncio.sleep(0.02)

    async def learns(earlier=None):
        """Talks until another session than an earlier one learns the voice."""
        while (session := live.session) in (None, earlier) or not session.is_connected:
            await talk()
        while (await sessions.get(session.id)).voice_enrollment is not VoiceEnrollment.ENROLLING:
            await talk()

    async with anechoic.Sessions(server) as sessions:
        await learns()
        # Another format of the reference begins a new session, and so does the end by the server: both learn on.
        for end in (lambda: live.announce_reference(Format(8000)), lambda: sessions.delete(live.session.id)):
            earlier = live.session
            if (ending := end()) is not None:
                await ending
            assert live.voiceprint == b""
            await learns(earlier)
    while not live.voiceprint:
        await talk()
    live.announce_reference(MONO)
    await Callback(live).until(lambda: keeps(live))
    await live.close()
    assert live.voiceprint
    given = anechoic.LiveFilter(server, voiceprint=live.voiceprint)
    assert given.voiceprint == live.voiceprint
    await Callback(given).until(lambda: keeps(given))
    await given.session.set_voiceprint(b"")
    assert given.voiceprint == b""
    await given.close()


@pytest.mark.parametrize("options, code, message", [
    ({"voiceprint": VOICE}, "PERMISSION_DENIED", 'start.voiceprint needs the scope "enroll"'),
    ({"enroll_voice": True}, "PERMISSION_DENIED", 'start.enroll_voice needs the scope "enroll"'),
    ({"enroll_voice": True}, "UNIMPLEMENTED", "start.enroll_voice: the engine cannot learn a voice"),
    ({"echo_path": ECHO_PATH}, "INVALID_ARGUMENT", "start.echo_path_hint.response: has too many samples"),
])
@pytest.mark.parametrize("is_first", [True, False])
@in_loop
async def test_a_filter_gives_up_what_a_server_refuses(options, code, message, is_first, caplog):
    part = message.partition(" ")[0].partition(":")[0].removeprefix("start.").partition(".")[0]

    def has(start):
        return part in {field.name for field, _ in start.ListFields()}

    async def script(call):
        if (is_first or len(server.starts) > 1) and has(call.start):
            return await call.end(code, message)
        await call.accept()
        if len(server.starts) == 1:
            await call.read()
            return await call.end("ABORTED", "SESSION_DELETED")
        await call.serve()

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address, settings={"mute.chime_disabled": True}, **options)

        async def runs():
            return len(server.starts) == (2 if is_first else 3) and live.session is not None

        with caplog.at_level(logging.WARNING, logger="anechoic"):
            await Callback(live).until(runs)
        await live.close()
    assert [has(each) for each in server.starts] == [True] * (len(server.starts) - 1) + [False]
    assert all(each.config.mute.chime_disabled for each in server.starts)
    assert live.voiceprint == b"" and live.echo_path == b""
    told = [each.getMessage() for each in caplog.records if message in each.getMessage()]
    assert len(told) == 1 and "the next session begins without the" in told[0], told


async def keeps(live):
    """Whether the session of a filter began with a voice."""
    return live.session is not None and live.session.is_voiceprint_used


@in_loop
async def test_frames_may_be_views_of_samples():
    samples = np.arange(1600, dtype="<i2")
    plain, viewed = anechoic.LiveFilter("127.0.0.1:1"), anechoic.LiveFilter("127.0.0.1:1")
    for first in range(0, 1600, 320):
        frame = samples[first : first + 320]
        viewed.play(memoryview(frame), MONO)
        assert viewed.exchange(memoryview(frame), MONO) == plain.exchange(frame.tobytes(), MONO)
    await plain.close()
    await viewed.close()


@in_loop
async def test_a_turn_does_not_outlast_its_session(server, microphone):
    live = anechoic.LiveFilter(server, settings={"turn_detection.enabled": True})
    turns, has_turn = [], asyncio.Event()

    def note(event):
        if isinstance(event, (anechoic.events.TurnStarted, anechoic.events.TurnEnded, anechoic.events.Restarted)):
            turns.append(type(event).__name__)
            has_turn.set()

    live.listen(note)
    voice = microphone.samples[9 * 16000 : 13 * 16000]  # The person talks alone.
    for first in range(0, len(voice), 320):
        live.exchange(voice[first : first + 320].tobytes(), MONO)
        await asyncio.sleep(0.02)
        if has_turn.is_set():
            break
    assert turns == ["TurnStarted"]
    # Another format of the reference begins a new session.
    live.announce_reference(anechoic.Format(8000))
    await asyncio.sleep(0.2)
    assert turns == ["TurnStarted", "Restarted"]
    await live.close()
    assert len(turns) == 2


@in_loop
async def test_a_voice_of_a_server_far_away_is_heard_with_a_longer_delay(server, caplog):
    async with Proxy(server) as far:
        far.late = 0.12
        live = anechoic.LiveFilter(far.address, delay=0.5)
        callback = Callback(live)

        async def is_processed():
            return any(live.voice.results) if live.voice is not None else False

        await callback.until(is_processed)
        replaced = live.replaced_samples
        await callback.frames(50)
        assert live.replaced_samples == replaced
        await live.close()
    assert "late" not in caplog.text


@in_loop
async def test_a_voice_whose_frames_come_in_bursts_is_heard_with_a_delay_that_grows(server, caplog):
    live = anechoic.LiveFilter(server)
    frame = Callback(live).frame
    heard = []
    with caplog.at_level(logging.WARNING, logger="anechoic"):
        for _ in range(30):  # 160 ms each.
            heard.append(b"".join(live.exchange(frame, MONO) for _ in range(8)))
            await asyncio.sleep(0.16)
            if len(heard) == 20:
                replaced = live.replaced_samples
    await live.close()
    assert live.replaced_samples == replaced
    assert all(len(each) == 8 * len(frame) for each in heard)
    assert any("the delay is 0." in each.getMessage() for each in caplog.records)


def sound(first, count, level=9000):
    """Returns voice of a session."""
    return Output(np.full(count, level, np.int16), first, None, ())


def test_a_delay_grows_in_a_pause():
    voice = AlignedVoice(2, 8000, 0, True)
    voice.add(sound(0, 800), 0)
    voice.add(sound(800, 160, level=0), 0)
    voice.add(sound(960, 800), 0)
    voice.raise_delay(400)
    raw = bytes(320)
    heard = [np.frombuffer(voice.exchange(raw), np.int16) for _ in range(12)]
    assert not voice.is_rising and voice.position == 12 * 160
    loud = np.concatenate(heard) == 9000
    assert loud[:800].all() and not loud[800:1360].any() and loud[1360:].all()


@in_loop
async def test_parts_of_samples_wait_for_their_rest():
    live = anechoic.LiveFilter("127.0.0.1:1")
    data = np.arange(1, 3201, dtype=np.int16).tobytes()
    returned = b"".join(live.exchange(data[first:first + 333], MONO) for first in range(0, len(data), 333))
    await live.close()
    assert len(returned) == len(data)
    voice = np.frombuffer(returned, np.int16)
    start = np.flatnonzero(voice)[0]
    assert np.array_equal(voice[start:], np.arange(1, 3201 - start))


@in_loop
async def test_floats_that_are_no_numbers_pass_as_silence_and_full_scale(server):
    format = Format(16000, encoding="f32")
    frame = np.full(320, 0.25, "<f4")
    frame[:3] = np.nan, np.inf, -np.inf
    data = frame.tobytes()
    live = anechoic.LiveFilter(server)
    heard = []
    for number in range(100):
        live.play(data, format)
        heard.append(live.exchange(data[:-2] if number % 2 == 0 else b"\0\0" * (number > 0) + data, format))
        await asyncio.sleep(0.02)
        if number == 60:
            first = live.session
    assert first is not None and live.session is first and first.is_connected
    values = np.frombuffer(b"".join(heard)[: len(b"".join(heard)) // 4 * 4], "<f4")
    assert np.isfinite(values).all() and abs(values).max() <= 1
    await live.close()


@pytest.fixture
def later(monkeypatch):
    """Moves the clock by which a microphone stops, and a detector pauses, forward. It stands still otherwise."""
    now = [1000.0]
    for module in ("live", "_feeding", "_probability"):
        monkeypatch.setattr(f"anechoic.{module}.monotonic", lambda: now[0])

    def move(seconds):
        now[0] += seconds

    return move


def numbers(seconds):
    """Samples that all differ, for some seconds."""
    return np.arange(seconds * 16000).astype("<i2").tobytes()


def away():
    """A filter without a server, whose microphone has begun."""
    live = anechoic.LiveFilter("127.0.0.1:1")
    live.exchange(bytes(640), MONO)
    return live


def hear(live, seconds, format=MONO):
    """Exchanges frames of silence at once."""
    for _ in range(seconds * 50):
        live.exchange(bytes(format.rate // 50 * format.frame_bytes), format)


@in_loop
async def test_a_session_that_begins_gets_what_still_plays_of_the_speech_before_it(later):
    live, placed = away(), []
    live._place = placed.append
    live.play(numbers(5), MONO)
    hear(live, 15)
    live.play(numbers(8), MONO)
    hear(live, 1)
    live._place_early()
    assert placed == [numbers(8)[32000:]]
    await live.close()


@in_loop
async def test_speech_that_was_heard_without_a_session_is_not_taken_back(later):
    live = away()
    live.play(numbers(5), MONO)
    hear(live, 2)
    live.play(numbers(5), MONO)  # After the first.
    hear(live, 4)
    assert live.stop_playing() == numbers(5)[32000:]
    live.play(numbers(5), MONO)
    hear(live, 15)
    assert live.stop_playing() == b""
    for _ in range(3):  # More than a minute, of which never more than 30 s wait.
        live.play(numbers(30), MONO)
        hear(live, 30)
    live.play(numbers(1), MONO)
    assert live.stop_playing() == numbers(1)
    await live.close()


@in_loop
async def test_speech_without_a_session_goes_on_when_the_format_changes(later):
    live, wide = away(), Format(48000)
    live.play(numbers(5), MONO)
    hear(live, 3)
    hear(live, 1, wide)
    assert live.stop_playing() == numbers(5)[4 * 32000:]
    live.play(numbers(5), MONO)
    hear(live, 15, wide)
    hear(live, 1)
    assert live.stop_playing() == b""
    await live.close()


@in_loop
async def test_speech_without_a_session_is_heard_while_the_microphone_does_not_come(later):
    live = away()
    live.play(numbers(8), MONO)
    later(3)
    assert live.stop_playing() == numbers(8)[3 * 32000:]
    live.play(numbers(8), MONO)
    later(4)
    for _ in range(50):
        later(0.02)
        live.exchange(bytes(640), MONO)
    assert live.stop_playing() == numbers(8)[5 * 32000:]
    await live.close()


@in_loop
async def test_speech_with_a_session_is_heard_while_the_microphone_does_not_come(server, later):
    async with anechoic.Session(server, microphone=MONO, reference=MONO, intermittent_reference=True) as session:
        session.place_reference(numbers(8))  # The microphone begins later.
        later(2.02)
        session.feed_nowait(bytes(640))
        assert session.drop_reference() == numbers(8)[2 * 32000 + 640:]
        session.place_reference(numbers(8))
        later(0.9)
        session.feed_nowait(bytes(640))  # Not a stop: audio may come late.
        later(5.02)
        session.feed_nowait(bytes(640))
        assert session.drop_reference() == numbers(8)[5 * 32000 + 1280:]
        for _ in range(3):  # More than a minute in all.
            session.place_reference(numbers(50))
            later(50)
        session.place_reference(numbers(8))
        later(3)
        assert session.drop_reference() == numbers(8)[3 * 32000:]


@in_loop
async def test_speech_keeps_its_place_if_the_microphone_was_only_late(server, later):
    """The program stalls, and then gives all that it has captured meanwhile."""
    live = away()
    live.play(numbers(8), MONO)
    later(3)
    hear(live, 3)
    rest = live.stop_playing()
    assert rest and numbers(8).endswith(rest) and abs(len(rest) - 5 * 32000) < 3200
    await live.close()
    async with anechoic.Session(server, microphone=MONO, reference=MONO, intermittent_reference=True) as session:
        for placed, in_between in ((8, 0), (2, 8)):
            session.feed_nowait(bytes(640))
            session.place_reference(numbers(placed))
            later(3)
            if in_between:
                session.place_reference(numbers(in_between))  # Starts to play now: the first 2 s are over.
            for _ in range(150):
                session.feed_nowait(bytes(640))
            assert session.drop_reference() == (numbers(in_between) if in_between else numbers(8)[3 * 32000:])
            later(1)


def test_a_detector_is_not_late_after_audio_that_it_was_not_given(later):
    live, said = anechoic.LiveFilter("127.0.0.1:1"), Frame(0.9, True, False)
    live._voice = AlignedVoice(2, 16000, 0, True)
    probability, results = VoiceProbability(live), live.voice.results

    def judge(unheard, count=2):
        """Leaves out some steps, and judges those that follow, in which somebody talks."""
        results.extend([Frame(0.0, False, False)] * unheard + [said] * count)
        probability.expect(count)
        return [probability.next(bytes(320)) for _ in range(count)]

    assert judge(unheard=300) == [0.9, 0.9], "before the first"
    later(0.02)
    assert judge(unheard=0) == [0.9, 0.9]
    later(3)
    assert judge(unheard=300) == [0.9, 0.9], "after a pause"
    later(0.02)
    judge(unheard=300)
    assert len(results) <= 50, "at no time"


def test_raw_floats_that_are_no_numbers_are_not_heard():
    voice = AlignedVoice(4, 16000, 0, True, has_floats=True)
    data = np.array([np.nan, np.inf, -np.inf, 0.5], "<f4").tobytes()
    heard = voice.exchange(data[:6]) + voice.exchange(data[6:])
    assert np.frombuffer(heard, "<f4").tolist() == [0, 1, -1, 0.5]


@pytest.mark.parametrize("on_loss", ["raw", "silence"])
@in_loop
async def test_raw_audio_passes_a_filter_that_is_switched_off_unless_muted(server, on_loss):
    callback = Callback(anechoic.LiveFilter(server, on_loss=on_loss))
    callback.live.is_enabled = False
    await callback.frames(10)  # After the delay.
    assert (await callback.frames(10)).any()

    async def runs():
        return callback.live.session is not None

    await callback.until(runs)
    assert (await callback.frames(10)).any()
    callback.live.mute()
    assert not (await callback.frames(10)).any()
    await callback.live.close()


@in_loop
async def test_a_server_of_garbage_is_told_once(caplog):
    async with RawServer(lambda: os.urandom(5000)) as garbage:
        callback = Callback(anechoic.LiveFilter(garbage.address))
        with caplog.at_level(logging.WARNING, logger="anechoic"):

            async def is_tried_often():
                return garbage.connections >= 4

            await callback.until(is_tried_often)
        await callback.live.close()
    told = [each.getMessage() for each in caplog.records if each.name == "anechoic"]
    assert len(told) == 1 and told[0].startswith(f"{garbage.address}: "), told
