"""The measures of scripts/bench quality, on sounds that code makes. Needs numpy alone, and no recordings."""
import pathlib
import sys

import numpy
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from quality import dtmf, figures, scenes, words  # noqa: E402
from quality.rooms import Room, reverberation_time  # noqa: E402
from quality.runs import Activity, Session  # noqa: E402
from quality.signals import (  # noqa: E402
    RATE, around, at_level, filtered, gain, level, noise, resampled, voiced_frames, whispered)


@pytest.fixture
def random():
    return numpy.random.default_rng(3)


def syllables(random, count=20, dbfs=-26.0):
    """Bursts of 0.2 s of noise with pauses of 0.1 s: what counts as a voice for the measures."""
    burst = [numpy.concatenate([noise(random, RATE // 5, dbfs), numpy.zeros(RATE // 10)]) for _ in range(count)]
    return numpy.concatenate(burst)


def test_a_level_is_the_mean_power(random):
    assert level(numpy.ones(RATE)) == pytest.approx(0)
    assert level(noise(random, RATE, -30, 3)) == pytest.approx(-30, abs=0.01)


def test_a_voice_is_scaled_by_its_voiced_frames(random):
    voice = at_level(syllables(random), -20)
    voiced = numpy.repeat(voiced_frames(voice, RATE), RATE // 100)
    assert level(voice[:len(voiced)][voiced]) == pytest.approx(-20, abs=0.01)


def test_frames_are_lost_where_they_come_out_far_lower_than_the_others(random):
    voice = syllables(random)
    output = gain(voice, 9)
    assert figures.lost_share(voice, output, RATE) == 0
    output[:RATE * 3 // 10] *= 0.1
    assert figures.lost_share(voice, output, RATE) == pytest.approx(5, abs=0.1)


def test_a_frame_that_is_lowered_by_less_is_not_lost(random):
    voice = syllables(random)
    output = voice.copy()
    output[:RATE * 3 // 10] = gain(output[:RATE * 3 // 10], -14)
    assert figures.lost_share(voice, output, RATE) == 0


def test_the_level_changes_in_a_window(random):
    voice = syllables(random)
    output = voice.copy()
    output[:RATE // 2] = gain(output[:RATE // 2], -6)
    assert figures.level_change(voice, output, RATE, 0, 0.5) == pytest.approx(-6, abs=0.01)
    assert figures.level_change(voice, output, RATE, 0.6) == pytest.approx(0, abs=0.01)
    assert figures.level_change(voice, output, RATE, 100) is None


def test_echo_is_measured_where_the_near_end_is_silent(random):
    microphone = noise(random, 30 * RATE, -30)
    output = gain(microphone, -40)
    near = numpy.zeros(len(microphone))
    near[10 * RATE:20 * RATE] = noise(random, 10 * RATE, -20)
    output[10 * RATE:20 * RATE] = near[10 * RATE:20 * RATE]
    parts = figures.far_alone(microphone, output, RATE, near)
    assert [round(part[0]) for part in parts] == [-40, -40]
    assert [round(part[1]) for part in parts] == [-70, -70]


def test_voice_is_false_where_the_near_end_is_silent(random):
    near = numpy.zeros(10 * RATE)
    near[4 * RATE:6 * RATE] = noise(random, 2 * RATE, -20)
    voices = [Activity(1, 2, 1.1), Activity(3.9, 6.3, 4.0)]
    assert figures.seconds_a_minute(figures.false_voice(voices, near, RATE, 1000)) == pytest.approx(6)
    assert figures.false_times([1.1, 4.0], near, RATE, 1000) == [1.1]


def test_the_onset_of_a_voice_is_when_a_session_reports_it():
    voices = [Activity(0, 1.1, 0.1), Activity(2.02, 4, 2.12)]
    assert figures.time_until(voices, 2.0) == pytest.approx(0.12)
    assert figures.time_until(voices, 0.5) == 0
    assert figures.time_until(voices, 1.05) == pytest.approx(1.07)
    assert figures.time_until(voices, 5) is None


def test_moves_of_the_aligner_are_counted_after_the_first_delay():
    assert Session(numpy.zeros(1), [], [], [0.35, 0.35, 0.375, 0.356, 0.3561]).moves() == 2


@pytest.mark.parametrize("rt60", [0.15, 0.4, 0.8])
def test_a_room_has_its_reverberation_time(random, rt60):
    room = Room.drawn(random, rt60)
    places = room.places(1.0)
    response = room.response(*places)
    assert len(response) == int(rt60 * RATE)
    spectrum = numpy.fft.rfft(response, 2 * len(response))
    frequencies = numpy.fft.rfftfreq(2 * len(response), 1 / RATE)
    middle = numpy.fft.irfft(spectrum * numpy.exp(-((numpy.log2(numpy.maximum(frequencies, 1) / 1000)) ** 2) * 2))
    assert reverberation_time(middle[:len(response)] ** 2, RATE) == pytest.approx(rt60, rel=0.15)


def test_the_direct_sound_comes_from_the_distance(random):
    room = Room.drawn(random, 0.3)
    near, far = (room.response(*room.places(distance)) for distance in (0.5, 2.0))
    assert numpy.abs(near).argmax() / RATE == pytest.approx(0.5 / 343, abs=1e-4)
    assert numpy.flatnonzero(numpy.abs(far) > 0.2)[0] / RATE == pytest.approx(2.0 / 343, abs=2e-4)


def test_reverberation_time_of_an_exponential_decay(random):
    times = numpy.arange(RATE) / RATE
    assert reverberation_time(10 ** (-6 * times / 0.5), RATE) == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize("rate", [8000, 16000])
@pytest.mark.parametrize("dbfs", [-10, -30])
def test_digits_are_read(random, rate, dbfs):
    text = "123A456B789C*0#D"
    sound = numpy.concatenate([numpy.zeros(rate // 7), dtmf.digits(text, rate, dbfs)])
    assert dtmf.read(sound + noise(random, len(sound), -65), rate) == text


def test_other_sounds_are_no_digits(random):
    times = numpy.arange(RATE) / RATE
    assert dtmf.read(noise(random, RATE, -20), RATE) == ""
    assert dtmf.read(0.3 * numpy.sin(2 * numpy.pi * 697 * times), RATE) == ""
    assert dtmf.read(syllables(random), RATE) == ""


def test_missed_digits_are_counted_in_order():
    assert dtmf.missed("1234", "134") == 1
    assert dtmf.missed("1234", "14322") == 2
    assert dtmf.missed("11", "1111") == 0


def test_word_errors():
    assert words.errors("a b c".split(), "a c".split()) == 1
    assert words.errors("a b c".split(), "a x c d".split()) == 2
    assert words.plain("<s> Read(2) it's [NOISE] A-line </s>") == ["read", "it's", "a", "line"]


def test_a_sound_keeps_its_shape_at_another_rate():
    times = numpy.arange(RATE) / RATE
    tone = numpy.sin(2 * numpy.pi * 440 * times) * numpy.hanning(RATE)
    wide = resampled(tone, RATE, 48000)
    assert len(wide) == 48000
    assert numpy.abs(wide[::3] - tone).max() < 1e-3
    assert numpy.abs(resampled(wide, 48000, RATE) - tone).max() < 1e-3


def test_a_filter_convolves(random):
    sound, response = random.standard_normal(300), random.standard_normal(70)
    assert numpy.allclose(filtered(sound, response), numpy.convolve(sound, response)[:300])


def test_a_whisper_has_the_envelope_of_its_voice(random):
    voice = syllables(random, 6)
    whisper = whispered(random, voice)
    loud = voiced_frames(voice, RATE)
    heard = numpy.repeat(loud, RATE // 100)
    assert level(whisper[:len(heard)][heard]) > level(whisper[:len(heard)][~heard]) + 6


def test_frames_are_widened():
    frames = numpy.array([0, 0, 0, 1, 0, 0, 0], bool)
    assert around(frames, 1, 2).tolist() == [False, False, True, True, True, True, False]


def test_the_places_of_a_loudspeaker_follow_each_other():
    length = 60 * RATE
    shares = [scenes._share(length, step, 3) for step in range(3)]
    assert numpy.allclose(sum(shares), 1)
    assert [round(shares[step][(10 + 20 * step) * RATE]) for step in range(3)] == [1, 1, 1]
