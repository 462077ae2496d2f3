"""A telephone line for tests: the echo of a hybrid or of a room, as the caller's side of a call returns it."""

import numpy as np

RATE = 8000


def hybrid(decibels: float, tail: float, delay: float, seed: int = 1) -> np.ndarray:
    """Returns the response of a hybrid behind a line: `decibels` softer, `tail` seconds long, after `delay`
    seconds. Its sound rises quickly and dies away, as the models of ITU-T G.168 do."""
    count = round(tail * RATE)
    times = np.arange(count) / count
    shape = np.random.default_rng(seed).standard_normal(count) * np.exp(-5 * times)
    shape[: count // 20] *= np.linspace(0.2, 1, count // 20) if count >= 20 else 1
    return _placed(shape, decibels, delay)


def room(decibels: float, reverberation: float, delay: float, seed: int = 2) -> np.ndarray:
    """Returns the response of a speakerphone in a room, whose sound falls by 60 dB in `reverberation` seconds."""
    count = round(reverberation * RATE)
    shape = np.random.default_rng(seed).standard_normal(count) * 10 ** (-3 * np.arange(count) / count)
    shape[0] = 4
    return _placed(shape, decibels, delay)


def _placed(shape: np.ndarray, decibels: float, delay: float) -> np.ndarray:
    """Scales a response to its effect on sound with the spectrum of speech, and delays it."""
    probe = np.convolve(np.random.default_rng(0).standard_normal(4 * RATE), np.hanning(8), "same")
    gain = np.sqrt(np.mean(np.convolve(probe, shape)[: len(probe)] ** 2) / np.mean(probe**2))
    return np.concatenate([np.zeros(round(delay * RATE)), shape * 10 ** (decibels / 20) / gain])


class Line:
    """Plays the application's sound, and returns the caller's: the echo, and what the caller says."""

    def __init__(self, response: np.ndarray) -> None:
        self.response = response
        self.queue = np.zeros(0)
        self.echo = np.zeros(0)
        self.voice = np.zeros(0)
        self.sent = np.zeros(0)

    def say(self, samples: np.ndarray, after: float = 0) -> None:
        start = len(self.sent) + round(after * RATE)
        self.voice = np.pad(self.voice, (0, max(0, start + len(samples) - len(self.voice))))
        self.voice[start: start + len(samples)] += samples

    def step(self, count: int = 160) -> np.ndarray:
        heard = np.pad(self.queue[:count], (0, max(0, count - len(self.queue))))
        self.queue = self.queue[count:]
        now = len(self.sent)
        end = now + count + len(self.response)
        self.echo = np.pad(self.echo, (0, max(0, end - len(self.echo))))
        if np.any(heard):
            part = np.convolve(heard, self.response)
            self.echo[now: now + len(part)] += part
        voice = self.voice[now: now + count]
        samples = self.echo[now: now + count] + np.pad(voice, (0, count - len(voice)))
        self.sent = np.concatenate([self.sent, samples])
        return samples
