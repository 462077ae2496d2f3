"""The format of audio, and the conversion between arrays and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from .errors import FormatError
from .v1 import audio_pb2

Samples = npt.NDArray[Any]
Audio = Union[Samples, bytes, bytearray, memoryview]
"""Samples as an array, or as the little-endian, interleaved bytes of the announced format."""

_RATES = (8000, 16000, 24000, 32000, 44100, 48000)
_ENCODINGS: dict[str, tuple[Any, np.dtype[Any]]] = {
    "s16": (audio_pb2.AUDIO_ENCODING_PCM_S16LE, np.dtype("<i2")),
    "f32": (audio_pb2.AUDIO_ENCODING_PCM_F32LE, np.dtype("<f4")),
}


@dataclass(frozen=True)
class Format:
    """The format of an input or output.

    >>> Format(16000).frame_bytes
    2
    >>> Format(48000, channels=2, encoding="f32").frame_bytes
    8
    >>> Format(22050)
    Traceback (most recent call last):
    anechoic.errors.FormatError: rate: 22050 is not supported; use 8000, 16000, 24000, 32000, 44100 or 48000
    """

    rate: int
    """Samples per second: 8000, 16000, 24000, 32000, 44100 or 48000."""
    channels: int = 1
    """1 or 2."""
    encoding: Literal["s16", "f32"] = "s16"
    """`s16`: 16-bit integers. `f32`: floats, of which -1 to 1 is full scale."""

    def __post_init__(self) -> None:
        if self.rate not in _RATES:
            rates = ", ".join(str(rate) for rate in _RATES[:-1])
            message = f"rate: {self.rate} is not supported; use {rates} or {_RATES[-1]}"
            raise FormatError(message, field="rate")
        if self.channels not in (1, 2):
            raise FormatError(f"channels: {self.channels} is not supported; use 1 or 2", field="channels")
        if self.encoding not in _ENCODINGS:
            message = f"encoding: {self.encoding!r} is not supported; use 's16' or 'f32'"
            raise FormatError(message, field="encoding")

    @cached_property
    def frame_bytes(self) -> int:
        """The bytes of one sample of all channels."""
        return self.channels * self.dtype.itemsize

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The type of the samples in an array."""
        return _ENCODINGS[self.encoding][1]

    def to_bytes(self, audio: Audio, name: str = "audio") -> bytes | bytearray | memoryview:
        """Returns audio as bytes of this format.

        Bytes stay as they are. Arrays have the shape (n,) or, with two channels, (n, 2). Integers of 16
        bits and floats are converted into each other. Throws `FormatError` for anything else.

        >>> bytes(Format(16000).to_bytes(np.array([0.5, -2.0])))
        b'\\x00@\\x00\\x80'
        """
        if isinstance(audio, (bytes, bytearray, memoryview)):
            return audio
        if type(audio) is np.ndarray and audio.ndim == self.channels == 1 and audio.dtype == self.dtype:
            return audio.tobytes()
        array = np.asarray(audio)
        shapes = {(), (1,)} if self.channels == 1 else {(2,)}
        if array.ndim == 0 or array.shape[1:] not in shapes:
            shape = "(n,)" if self.channels == 1 else "(n, 2)"
            message = f"{name}: the array has the shape {array.shape}, and {self.channels} channel(s) need {shape}"
            raise FormatError(message, field=name)
        if array.dtype != self.dtype:
            array = self._converted(array, name)
        return array.tobytes()

    def to_array(self, data: bytes | bytearray | memoryview) -> Samples:
        """Returns whole samples as an array of the shape (n,) or (n, 2), without a copy.

        >>> Format(16000, channels=2).to_array(bytes(8)).shape
        (2, 2)
        """
        array: Samples = np.frombuffer(data, self.dtype)
        return array if self.channels == 1 else array.reshape(-1, self.channels)

    def _converted(self, array: Samples, name: str) -> Samples:
        is_float = array.dtype.kind == "f"
        if not is_float and not (array.dtype.kind == "i" and array.dtype.itemsize == 2):
            message = f"{name}: the array has the type {array.dtype}; use int16, float32 or float64"
            raise FormatError(message, field=name)
        if self.encoding == "f32":
            return np.asarray(array if is_float else array / 32768, np.float32)
        if not is_float:
            return array.astype(self.dtype)
        scaled = np.nan_to_num(array) * 32768
        clipped: Samples = np.clip(np.rint(scaled), -32768, 32767)
        return clipped.astype(self.dtype)

    def _message(self) -> audio_pb2.AudioFormat:
        return audio_pb2.AudioFormat(
            encoding=_ENCODINGS[self.encoding][0], sample_rate_hz=self.rate, channel_count=self.channels
        )

    @classmethod
    def _from(cls, message: audio_pb2.AudioFormat) -> Format:
        encoding = next(name for name, (number, _) in _ENCODINGS.items() if number == message.encoding)
        return cls(message.sample_rate_hz, message.channel_count, encoding)  # type: ignore[arg-type]
