"""WAV files of 16, 24 and 32 bits, by the standard library."""

from __future__ import annotations

import os
import wave
from dataclasses import dataclass
from types import TracebackType
from typing import Type, Union

import numpy as np

from .errors import FormatError
from .formats import Format, Samples

StrPath = Union[str, "os.PathLike[str]"]


class WavReader:
    """Reads a WAV file piece by piece. Files of 24 and 32 bits become floats."""

    def __init__(self, path: StrPath) -> None:
        """Opens a file. Throws `OSError`, or `FormatError` for a file that is not supported."""
        self.path = os.fspath(path)
        try:
            self._file = wave.open(self.path, "rb")
        except (wave.Error, EOFError) as error:
            message = f"{self.path}: not a WAV file of integers (PCM): {error or 'the file is too short'}"
            raise FormatError(message) from error
        self._width = self._file.getsampwidth()
        try:
            if self._width not in (2, 3, 4):
                raise FormatError(f"{self._width * 8} bits are not supported; use 16, 24 or 32")
            rate, channels = self._file.getframerate(), self._file.getnchannels()
            self.format = Format(rate, channels, "s16" if self._width == 2 else "f32")
        except FormatError as error:
            self._file.close()
            raise FormatError(f"{self.path}: {error}", field=error.field) from None
        self.count = self._file.getnframes()
        """The samples of each channel."""

    def read(self, count: int) -> Samples:
        """Returns at most `count` samples; fewer at the end."""
        data = self._file.readframes(count)
        data = data[: len(data) // (self._width * self.format.channels) * self._width * self.format.channels]
        if self._width == 2:
            return self.format.to_array(data)
        if self._width == 4:
            samples = np.frombuffer(data, "<i4") / np.float32(2**31)
        else:
            wide = np.zeros((len(data) // 3, 4), np.uint8)
            wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
            samples = wide.view("<i4").ravel() / np.float32(2**31)
        return self.format.to_array(samples.astype("<f4").tobytes())

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> WavReader:
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WavWriter:
    """Writes a WAV file piece by piece: 16 bits for the encoding `s16`, 24 bits for `f32`."""

    def __init__(self, path: StrPath, format: Format) -> None:
        self._format = format
        # wave leaves a broken object behind if it opens the file itself and fails.
        self._target = open(path, "wb")
        self._file = wave.open(self._target, "wb")
        self._file.setframerate(format.rate)
        self._file.setnchannels(format.channels)
        self._file.setsampwidth(2 if format.encoding == "s16" else 3)

    def write(self, samples: Samples) -> None:
        if self._format.encoding == "s16":
            self._file.writeframesraw(samples.tobytes())
            return
        scaled = np.clip(np.rint(samples.astype(np.float64) * 2**23), -(2**23), 2**23 - 1).astype("<i4")
        self._file.writeframesraw(scaled.reshape(-1, 1).view(np.uint8)[:, :3].tobytes())

    def close(self) -> None:
        self._file.close()
        self._target.close()

    def __enter__(self) -> WavWriter:
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True)
class Recording:
    """A whole recording in memory."""

    format: Format
    samples: Samples

    @classmethod
    def read(cls, path: StrPath) -> Recording:
        """Reads a WAV file. Throws `OSError`, or `FormatError` for a file that is not supported."""
        with WavReader(path) as file:
            return cls(file.format, file.read(file.count))

    def write(self, path: StrPath) -> None:
        """Writes a WAV file."""
        with WavWriter(path, self.format) as file:
            file.write(self.samples)
