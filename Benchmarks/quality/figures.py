"""The figures of a session: frames lost, changes of level, residual echo, false voice."""
import numpy

from .signals import FRAMES_A_SECOND, around, decibels, frame_powers, loud_frames, voiced_frames

LOST_BELOW = -15.0  # dB of a frame against the median of the call, from which on it counts as lost


def lost_frames(voice, output, rate, above_median=True):
    """The loud frames of a clean voice, and those of them that are lost.

    A frame counts if it is within 20 dB of the loudest frame. It is lost if it comes out more than 15 dB lower than it
    went in, by the median gain of all frames that count, since gain control changes the level of the whole call.
    """
    voice_levels, output_levels = _levels(voice, output, rate)
    counted = loud_frames(voice, rate)
    gains = (output_levels - voice_levels)[counted]
    if not len(gains):
        return counted, counted
    lost = numpy.zeros(len(counted), bool)
    lost[counted] = gains - (numpy.median(gains) if above_median else 0) < LOST_BELOW
    return counted, lost


def lost_share(voice, output, rate, **options):
    """The percentage of the loud frames that is lost."""
    counted, lost = lost_frames(voice, output, rate, **options)
    return 100 * float(lost.sum()) / max(1, int(counted.sum()))


def level_change(voice, output, rate, start=0.0, end=None):
    """The change of the level of a voice in dB, in its voiced frames from `start` to `end` s. None without any."""
    counted = within(voiced_frames(voice, rate), start, end)
    if not counted.any():
        return None
    return float(decibels(frame_powers(output, rate)[counted].mean())
                 - decibels(frame_powers(voice, rate)[counted].mean()))


def within(frames, start, end):
    """The frames of a mask from `start` to `end` s."""
    result = frames.copy()
    result[:round(start * FRAMES_A_SECOND)] = False
    if end is not None:
        result[round(end * FRAMES_A_SECOND):] = False
    return result


def far_alone(microphone, output, rate, near=None, start=3.0, length=10.0):
    """The output in each 10 s, from the third second on, where the near voice is silent.

    Returns for each 10 s its level by the microphone in dB, and its level in dBFS. A part with less than a second
    without a near voice is left out, and so is digital silence.
    """
    microphone_powers, output_powers = frame_powers(microphone, rate), frame_powers(output, rate)
    alone = ~talks(near, rate, len(microphone_powers))
    parts = []
    for begin in numpy.arange(0, len(alone) / FRAMES_A_SECOND, length):
        frames = within(alone, max(begin, start), begin + length)
        if frames.sum() >= FRAMES_A_SECOND and microphone_powers[frames].mean() > 1e-10:
            out = float(decibels(output_powers[frames].mean()))
            parts.append((out - float(decibels(microphone_powers[frames].mean())), out))
    return parts


def talks(near, rate, count):
    """The frames in which the near end talks, from 0.3 s before a voice to 0.6 s after it: a session may report a voice
    early, and reports its end after a pause of 0.3 s."""
    if near is None or not numpy.any(near):
        return numpy.zeros(count, bool)
    return around(voiced_frames(near, rate), 30, 60)[:count]


def active_frames(voices, count):
    """The frames of the voice activity of a session."""
    frames = numpy.zeros(count, bool)
    for voice in voices:
        frames[max(0, round(voice.begin * FRAMES_A_SECOND)):round(voice.end * FRAMES_A_SECOND)] = True
    return frames


def false_voice(voices, near, rate, count):
    """The frames in which a voice was reported although the near end is silent."""
    return active_frames(voices, count) & ~talks(near, rate, count)


def false_times(times, near, rate, count):
    """The times in seconds at which a talker was reported although the near end is silent."""
    silent = ~talks(near, rate, count)
    return [time for time in times if silent[min(count - 1, int(time * FRAMES_A_SECOND))]]


def time_until(voices, begin, within=3.0, least=0.3):
    """The time in s from `begin` until a session reports a voice. None if it does not `within` seconds.

    A voice that was reported before counts at once, if it lasts for `least` s from `begin` on.
    """
    for voice in voices:
        if voice.end >= begin + least or voice.reported >= begin:
            late = max(0.0, voice.reported - begin)
            return late if late <= within else None
    return None


def seconds_a_minute(frames):
    """The share of true frames as seconds a minute."""
    return 60 * float(numpy.mean(frames)) if len(frames) else 0.0


def _levels(voice, output, rate):
    count = min(len(voice), len(output))
    return decibels(frame_powers(voice[:count], rate)), decibels(frame_powers(output[:count], rate))
