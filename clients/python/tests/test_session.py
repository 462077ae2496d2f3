"""One session: audio of any shape in, the voice, events and statistics out."""

import asyncio
import time
from datetime import timedelta

import numpy as np
import pytest
from conftest import collect, event, in_loop, level

import anechoic
from anechoic import Format
from anechoic.enums import VoiceEnrollment
from anechoic.v1.voice_processing_pb2 import Voiceprint

MONO = Format(16000)
OTHER_VOICE = Voiceprint(encoder="another", values=np.array([0.6, 0.8], "<f2").tobytes()).SerializeToString()


@in_loop
async def test_the_echo_is_removed_and_the_voice_is_kept(server, microphone, reference):
    settings = {"voice_activity_detection.enabled": True}
    async with anechoic.Session(
        server, microphone=MONO, reference=MONO, real_time=False, settings=settings
    ) as session:
        parts = [part async for part in session.process(microphone.samples, reference.samples)]
        voice = np.concatenate([part.samples for part in parts])
        events = [each async for each in session.events()]
    assert len(voice) == len(microphone.samples)
    assert level(microphone.samples, 3, 8) - level(voice, 3, 8) > 20
    assert level(voice, 9.5, 13.5) > level(microphone.samples, 9.5, 13.5) - 3
    assert sum(len(part.frames) for part in parts) == 2000
    assert [each.id for each in events] == list(range(1, len(events) + 1))
    talk = [each for each in events if isinstance(each, anechoic.VoiceActivityChanged)]
    # While the canceller is new, what remains of the echo may count as a voice.
    began = [each.began_at_sample / 16000 for each in talk if each.active]
    assert abs(min(time for time in began if time > 2) - 9.1) < 0.3
    assert isinstance(events[-1], anechoic.SessionFinished)
    assert session.statistics.echo.converged
    assert session.statistics.flow.frames_processed > 1800


@in_loop
async def test_arguments_without_effect_are_told(server, caplog):
    settings = {"other_audio_ducking.level": "MAX"}
    async with anechoic.Session(server, microphone=MONO, settings=settings) as session:
        assert [each.split(":")[0] for each in session.warnings] == ["config.other_audio_ducking"]
    assert "config.other_audio_ducking: has no effect without inputs.other_audio" in caplog.text
    async with anechoic.Session(server, microphone=MONO) as session:
        assert session.warnings == []


@in_loop
async def test_the_turns_of_the_near_end_are_events(server, sample):
    """The near end talks from 9.1 to 13.9 s and from 14.4 to 18.6 s."""
    near = anechoic.Recording.read(sample / "near.wav")
    settings = {"turn_detection.enabled": True, "turn_detection.longest_pause": timedelta(milliseconds=800)}
    async with anechoic.Session(server, microphone=MONO, real_time=False, settings=settings) as session:
        async for _ in session.process(near.samples):
            pass
        events = [each async for each in session.events()]
    starts = [each for each in events if isinstance(each, anechoic.TurnStarted)]
    ends = [each for each in events if isinstance(each, anechoic.TurnEnded)]
    assert abs(starts[0].began_at_sample / 16000 - 9.1) < 0.3 and starts[0].probability > 0.5
    assert starts[0].sample - starts[0].began_at_sample < 0.1 * 16000
    assert len(ends) in (len(starts), len(starts) - 1)
    assert all(end.silent_from_sample > start.began_at_sample for start, end in zip(starts, ends))


@in_loop
async def test_lengths_and_types_do_not_change_the_output(server, microphone, reference):
    mic, ref = microphone.samples[:32000], reference.samples[:32000]

    async def voice(pieces):
        async with anechoic.Session(server, microphone=MONO, reference=MONO, real_time=False) as session:
            for piece in pieces:
                await session.feed(*piece)
            await session.finish()
            return await collect(session)

    whole = await voice([(mic, ref)])
    data, other = mic.tobytes(), ref.tobytes()
    odd = [(data[first:first + 333], other[first:first + 333]) for first in range(0, len(data), 333)]
    floats = [(part / 32768, (ref[first:first + 477] / 32768).astype(np.float32))
              for first in range(0, 32000, 477) for part in [mic[first:first + 477]]]
    assert len(whole) == 32000
    assert np.array_equal(whole, await voice(odd))
    assert np.array_equal(whole, await voice(floats))


@in_loop
async def test_read_returns_the_samples_that_were_asked_for(server, microphone):
    async with anechoic.Session(server, microphone=MONO, real_time=False) as session:
        await session.feed(microphone.samples[:1000])
        await session.finish()
        parts = [await session.read(count) for count in (1, 333, 500, 500, 10)]
    assert [len(part) for part in parts] == [1, 333, 500, 166, 0]


@in_loop
async def test_each_consumer_has_an_output_of_its_own(server, microphone, reference):
    async with anechoic.Session(
        server, microphone=MONO, reference=MONO, recognizer=MONO, raw=Format(8000), real_time=False
    ) as session:
        parts = [part async for part in session.process(microphone.samples, reference.samples)]
        delays = [round(seconds * 16000) for seconds in (session.delay, session.recognizer_delay)]
        raw_delay = round(session.raw_delay * 8000)
    voice, recognizer, raw = (np.concatenate([getattr(part, name) for part in parts])
                              for name in ("samples", "recognizer", "raw"))
    assert delays[0] == delays[1] and len(voice) == len(recognizer) == 2 * len(raw)
    assert level(microphone.samples, 3, 8) - level(recognizer, 3, 8) > 20
    # Gain control raises the voice for people, and leaves it as it is for a recognizer.
    assert abs(level(recognizer, 9.5, 13.5) - level(microphone.samples, 9.5, 13.5)) < 2
    halved = microphone.samples[::2].astype(float)
    at_once = [np.corrcoef(raw[8000 + delay:80000 + delay], halved[8000:80000])[0, 1]
               for delay in (raw_delay - 8, raw_delay, raw_delay + 8)]
    assert at_once[1] == max(at_once) and at_once[1] > 0.9


@in_loop
async def test_a_mute_silences_each_output_from_the_same_time_on(server, microphone):
    talk = microphone.samples[10 * 16000:12 * 16000]
    async with anechoic.Session(
        server, microphone=MONO, recognizer=MONO, raw=Format(8000), real_time=False
    ) as session:
        await session.feed(talk[:16000])
        await session.mute()
        await session.feed(talk[16000:])
        await session.finish()
        parts = [part async for part in session]
        delays = session.delay, session.recognizer_delay, session.raw_delay
    for name, rate, delay in zip(("samples", "recognizer", "raw"), (16000, 16000, 8000), delays):
        output = np.concatenate([getattr(part, name) for part in parts])
        assert not output[rate + round(delay * rate) + 1:].any()
        assert output[:rate - 800].any()


@in_loop
async def test_a_session_begins_with_the_echo_path_of_another(server, microphone, reference):
    async def run(**options):
        async with anechoic.Session(
            server, microphone=MONO, reference=MONO, real_time=False, learn_echo_path=True, **options
        ) as session:
            async for _ in session.process(microphone.samples, reference.samples):
                pass
            return session.echo_path, session.is_echo_path_used

    path, was_used = await run()
    assert len(path) > 15_000 and not was_used
    assert (await run(echo_path=path))[1]
    with pytest.raises(anechoic.InvalidRequest, match="echo_path"):
        await run(echo_path=b"\xff\xff")


@in_loop
async def test_a_session_learns_a_voice_and_another_one_keeps_it(server, sample):
    voice = anechoic.Recording.read(sample / "near.wav")

    async def run(**options):
        async with anechoic.Session(server, microphone=MONO, real_time=False, **options) as session:
            async for _ in session.process(voice.samples):
                pass
            events = [each async for each in session.events()]
        return session, [each.state for each in events if isinstance(each, anechoic.VoiceEnrollmentChanged)]

    learning, states = await run(enroll_voice=True)
    assert states == [VoiceEnrollment.ENROLLED] and 0 < len(learning.voiceprint) < 2048
    keeping, states = await run(voiceprint=learning.voiceprint, settings={"preferred_mic_mode": "VOICE_ISOLATION"})
    assert keeping.is_voiceprint_used and not states
    with pytest.raises(anechoic.InvalidRequest, match="voiceprint"):
        await run(voiceprint=b"\xff\xff")


@in_loop
async def test_a_voice_is_changed_in_a_session(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        await session.feed(np.zeros(1600, np.float32))
        await session.enroll_voice()
        assert await session.set_voiceprint(b"") >= 0
        with pytest.raises(anechoic.InvalidRequest, match="voiceprint"):
            await session.set_voiceprint(OTHER_VOICE)


@in_loop
async def test_barge_in_ends_speech_that_was_fed_ahead(server):
    speech, silence = np.full(16000, 8000, np.int16), np.zeros(320, np.int16)
    async with anechoic.Session(server, microphone=MONO, far_end=MONO, playback=MONO) as session:
        await session.feed(far_end=speech)
        outputs, played = aiter(session), []

        async def hear():
            """Feeds a frame, and waits for what plays meanwhile: the speed of the machine does not matter."""
            await session.feed(silence)
            played.append((await anext(outputs)).playback)

        while not any(each.any() for each in played):
            await hear()
        cleared = await session.clear_playback()
        while sum(map(len, played)) < cleared + 4800:
            await hear()
        end = sum(map(len, played))
        # Speech that is fed after the clear is played again.
        await session.feed(silence, far_end=speech[:320])
        await session.finish()
        rest = np.concatenate([*played, *[output.playback async for output in outputs]])
    assert not rest[cleared + 160 : end].any() and rest[end:].any()
    assert 0 < np.count_nonzero(rest[:end]) < len(speech)


@in_loop
async def test_formats_differ_between_inputs_and_outputs(server, microphone):
    stereo = Format(48000, channels=2, encoding="f32")
    async with anechoic.Session(
        server, microphone=MONO, far_end=Format(8000), processed=stereo, playback=stereo, real_time=False
    ) as session:
        await session.feed(microphone.samples[:16000], far_end=np.zeros(8000, np.int16))
        await session.finish()
        parts = [part async for part in session]
    assert sum(len(part.samples) for part in parts) == 48000
    assert all(part.samples.shape == part.playback.shape == (len(part.samples), 2) for part in parts)
    assert parts[0].samples.dtype == np.float32
    assert len(bytes(parts[0])) == parts[0].samples.size * 4


@in_loop
async def test_mute_silences_from_a_sample_on_and_unmute_ends_it(server, microphone):
    mic = microphone.samples[9 * 16000:13 * 16000]
    async with anechoic.Session(server, microphone=MONO, real_time=False) as session:
        muting = asyncio.create_task(session.mute(at_sample=16000))
        unmuting = asyncio.create_task(session.unmute(at_sample=32000))
        await asyncio.sleep(0)
        await session.feed(mic)
        await session.finish()
        voice = await collect(session)
        assert (await muting, await unmuting) == (16000, 32000)
        muted = await event(session, anechoic.MuteChanged)
    assert muted.sample == 16000 and muted.state.muted and not session.is_muted
    first, last = 16000 + round(session.delay * 16000), 32000
    assert not voice[first + 160:last].any() and voice[:16000].any() and voice[last + 1600:].any()


@in_loop
async def test_settings_change_during_a_session(server, microphone):
    async with anechoic.Session(
        server, microphone=MONO, real_time=False, settings={"preferred_mic_mode": "VOICE_ISOLATION"}
    ) as session:
        change = asyncio.create_task(session.configure({"preferred_mic_mode": "WIDE_SPECTRUM"}, at_sample=8000))
        await asyncio.sleep(0)
        await session.feed(microphone.samples[:16000])
        await session.finish()
        await collect(session)
        assert await change == 8000
        changed = await event(session, anechoic.events.MicModeChanged)
    assert changed.active is anechoic.enums.MicMode.WIDE_SPECTRUM


@in_loop
async def test_a_recording_is_paced_in_real_time(server, microphone):
    began = time.monotonic()
    async with anechoic.Session(server, microphone=MONO) as session:
        voice = [part async for part in session.process(microphone.samples[:16000])]
    assert time.monotonic() - began >= 0.99
    assert sum(len(part.samples) for part in voice) == 16000


@pytest.mark.parametrize("format", [MONO, Format(48000, channels=2, encoding="f32")])
@in_loop
async def test_a_loop_that_stalls_for_a_second_loses_and_garbles_nothing(server, format):
    samples = np.random.default_rng(1).normal(0, 0.1, (3 * format.rate, format.channels))
    samples = samples if format.channels == 2 else samples[:, 0]

    async def voice(**options):
        async with anechoic.Session(server, microphone=format, **options) as session:
            async def stall():
                await asyncio.sleep(1)
                time.sleep(1)

            stalling = asyncio.create_task(stall()) if not options else None
            parts = [part async for part in session.process(samples)]
            if stalling:
                await stalling
            assert not session.dropped_samples and not session.lost_samples
            assert not any(part.is_lost for part in parts)
            return np.concatenate([part.samples for part in parts])

    stalled = await voice()
    assert np.array_equal(stalled, await voice(real_time=False))


@in_loop
async def test_output_that_nobody_reads_does_not_hold_up_events(server, microphone):
    async with anechoic.Session(server, microphone=MONO) as session:
        limit = session._link.inbox.output
        limit._limit = 8000
        for first in range(0, 32000, 320):
            await session.feed(microphone.samples[first:first + 320])
        await session.finish()
        await event(session, anechoic.SessionFinished)
        rest = await collect(session)
    assert 0 < len(rest) <= 8000
    assert session.dropped_samples + len(rest) == 32000


@in_loop
async def test_events_may_be_read_twice_and_late(server, microphone):
    async with anechoic.Session(server, microphone=MONO, muted=True, real_time=False) as session:
        asyncio.ensure_future(session.unmute())
        await asyncio.sleep(0)
        await session.feed(microphone.samples[:16000])
        await session.finish()
        await collect(session)
        first = [each async for each in session.events()]
        second = [each async for each in session.events()]
    assert first == second and len(first) >= 2


@in_loop
async def test_an_intermittent_reference_is_silence_in_its_pauses(server, microphone, reference):
    """The loudspeaker's audio is pushed in 40 ms, ahead of the microphone, and only while it plays."""
    async with anechoic.Session(
        server, microphone=MONO, reference=MONO, real_time=False, intermittent_reference=True
    ) as session:
        mic, ref = microphone.samples, reference.samples
        active = np.convolve(np.abs(ref).reshape(-1, 640).max(axis=1) > 0, np.ones(25), "same") > 0
        reader = asyncio.create_task(collect(session))
        for number, is_playing in enumerate(active):
            if is_playing:
                session.place_reference(ref[number * 640:(number + 1) * 640])
            await session.feed(mic[number * 640:(number + 1) * 640])
        await session.finish()
        voice = await reader
    assert len(voice) == len(mic)
    assert session.statistics.flow.reference_frames_missing == 0
    assert level(mic, 3, 8) - level(voice, 3, 8) > 20
