"""WAV files of 8, 16, 24 and 32 bits."""

from __future__ import annotations

import os
from dataclasses import dataclass
from types import TracebackType
from typing import Type, Union

import numpy as np

from . import _wave
from ._checks import check_path, check_sample
from ._regular import open_output, open_regular
from ._start import checked_format
from .errors import FormatError
from .formats import Format, Samples

StrPath = Union[str, "os.PathLike[str]"]


class WavReader:
    """Reads a WAV file of integers or floats piece by piece. Files of 8, 24 and 32 bits become floats."""

    def __init__(self, path: StrPath) -> None:
        """Opens a file. Throws `OSError`, or `FormatError` for a file that is not supported."""
        self.path = os.fspath(check_path("path", path))
        self._file = open_regular(self.path)
        try:
            self._header = _wave.read_header(self._file)
            self._width = self._header.width
            self.format = Format(self._header.rate, self._header.channels, "s16" if self._width == 2 else "f32")
        except FormatError as error:
            self._file.close()
            raise FormatError(f"{self.path}: {error}", field=error.field) from None
        except BaseException:
            self._file.close()
            raise
        self.count = self._header.count
        """The samples of each channel."""
        self._rest = self.count

    def read(self, count: int) -> Samples:
        """Returns at most `count` samples; fewer at the end. Throws `FormatError` for a float that is no number."""
        check_sample("count", count)
        frame = self._width * self.format.channels
        data = self._file.read(min(count, self._rest) * frame)
        data = data[: len(data) // frame * frame]
        self._rest -= len(data) // frame
        if self._header.is_big_endian:
            data = np.frombuffer(data, np.uint8).reshape(-1, self._width)[:, ::-1].tobytes()
        if self._width == 2:
            return self.format.to_array(data)
        return self.format.to_array(self._floats(data).astype("<f4").tobytes())

    def _floats(self, data: bytes) -> Samples:
        if self._header.is_float:
            floats = np.frombuffer(data, "<f4" if self._width == 4 else "<f8")
            if not np.isfinite(floats).all():
                raise FormatError(f"{self.path}: a sample is not a finite number")
            return floats
        if self._width == 1:
            return (np.frombuffer(data, np.uint8) - np.float32(128)) / 128
        if self._width == 4:
            return np.frombuffer(data, "<i4") / np.float32(2**31)
        wide = np.zeros((len(data) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        return wide.view("<i4").ravel() / np.float32(2**31)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> WavReader:
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class WavWriter:
    """Writes a WAV file piece by piece: 16 bits for the encodings `s16` and `opus`, 24 bits for `f32`."""

    def __init__(self, path: StrPath, format: Format) -> None:
        """Makes a file, or replaces the one that is there. Throws `OSError`, also for a FIFO that nobody reads."""
        self.path = os.fspath(check_path("path", path))
        self._format = checked_format(format, "format")
        self._width = 3 if format.encoding == "f32" else 2
        self._size = 0
        # Without a buffer, a failure is that of the write, and closing does not fail again.
        self._file = open_output(self.path)
        self._put(self._header())

    def write(self, samples: Samples) -> None:
        """Writes an array of the shape (n,) or, with two channels, (n, 2).

        Floats and 16-bit integers are converted into each other. Throws `FormatError` for anything else, and `OSError`,
        which names the file.
        """
        if not isinstance(samples, np.ndarray):
            raise FormatError(f"samples: {type(samples).__name__} is not supported; use an array", field="samples")
        data = bytes(self._format.to_bytes(samples, "samples"))
        if self._width == 3:
            floats = np.frombuffer(data, self._format.dtype)
            scaled = np.clip(np.rint(floats.astype(np.float64) * 2**23), -(2**23), 2**23 - 1).astype("<i4")
            data = scaled.reshape(-1, 1).view(np.uint8)[:, :3].tobytes()
        self._size += len(data)
        self._put(data)

    def close(self) -> None:
        """Completes the header and closes the file."""
        if self._file.closed:
            return
        try:
            if self._file.seekable():
                self._file.seek(0)
                self._put(self._header())
        finally:
            self._file.close()

    def _header(self) -> bytes:
        return _wave.header(self._format.rate, self._format.channels, self._width, self._size)

    def _put(self, data: bytes) -> None:
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from None

    def __enter__(self) -> WavWriter:
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except OSError:
            if error is None:
                raise


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
