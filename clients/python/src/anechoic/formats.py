"""The format of audio, and the conversion between arrays and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Union

import numpy as np
import numpy.typing as npt

from . import _opus
from ._checks import check_bytes, check_flag
from .errors import FormatError
from .v1 import audio_pb2

Samples = npt.NDArray[Any]
Audio = Union[Samples, bytes, bytearray, memoryview]
"""Samples as an array, or as the little-endian, interleaved bytes of the announced format.

A memoryview whose items are larger than a byte is an array. Its two channels may be interleaved in one dimension."""

_RATES = (8000, 16000, 24000, 32000, 44100, 48000)
_ENCODINGS: dict[str, tuple[Any, np.dtype[Any]]] = {
    "s16": (audio_pb2.AUDIO_ENCODING_PCM_S16LE, np.dtype("<i2")),
    "f32": (audio_pb2.AUDIO_ENCODING_PCM_F32LE, np.dtype("<f4")),
    "opus": (audio_pb2.AUDIO_ENCODING_OPUS, np.dtype("<i2")),
}


def finite(samples: Samples) -> Samples:
    """Returns samples in which a float that is no number is silence, and an infinite one full scale.

    >>> finite(np.array([np.nan, np.inf, -np.inf, 0.5])).tolist()
    [0.0, 1.0, -1.0, 0.5]
    """
    if samples.dtype.kind != "f" or np.isfinite(samples).all():
        return samples
    found: Samples = np.nan_to_num(samples, nan=0, posinf=1, neginf=-1)
    return found


def finite_bytes(data: bytes) -> bytes:
    """Returns whole floats of 32 bits as bytes, changed as `finite` does.

    >>> finite_bytes(np.array([np.nan, 2], "<f4").tobytes()) == np.array([0, 2], "<f4").tobytes()
    True
    """
    samples = np.frombuffer(data, "<f4")
    found = finite(samples)
    return data if found is samples else found.tobytes()


def _as_array(audio: object, name: str) -> Samples:
    try:
        array: Samples = np.asarray(audio)
    except (TypeError, ValueError, OverflowError) as error:
        raise FormatError(f"{name}: this is no array of samples: {error}", field=name) from error
    return array


def _is_one_of(value: object, values: tuple[int, ...]) -> bool:
    return _is_in(value, min(values), max(values)) and value in values


def _is_in(value: object, least: int, most: int) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and least <= int(value) <= most


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
    encoding: Literal["s16", "f32", "opus"] = "s16"
    """`s16`: 16-bit integers. `f32`: floats, of which -1 to 1 is full scale. `opus`: 16-bit integers here, and
    Opus packets on the network, which need libopus: 8000, 16000, 24000 or 48000 samples per second."""
    bit_rate: int = 0
    """Opus: bits per second, 6000 to 510000. 0: 32000 for each channel."""
    complexity: int | None = None
    """Opus: the effort of the encoder, 0 to 10. None: the default of the server or of libopus."""
    fec: bool = False
    """Opus: whether packets contain a copy of the packet before, from which a lost one is recovered."""

    def __post_init__(self) -> None:
        if not _is_one_of(self.rate, _RATES):
            rates = ", ".join(str(rate) for rate in _RATES[:-1])
            message = f"rate: {self.rate!r} is not supported; use {rates} or {_RATES[-1]}"
            raise FormatError(message, field="rate")
        if not _is_one_of(self.channels, (1, 2)):
            raise FormatError(f"channels: {self.channels!r} is not supported; use 1 or 2", field="channels")
        if not isinstance(self.encoding, str) or self.encoding not in _ENCODINGS:
            message = f"encoding: {self.encoding!r} is not supported; use 's16', 'f32' or 'opus'"
            raise FormatError(message, field="encoding")
        # Messages take no integers of numpy.
        object.__setattr__(self, "rate", int(self.rate))
        object.__setattr__(self, "channels", int(self.channels))
        check_flag("fec", self.fec)
        if not _is_in(self.bit_rate, 0, 0) and not _is_in(self.bit_rate, 6000, 510000):
            raise FormatError(f"bit_rate: {self.bit_rate!r} is not supported; use 6000 to 510000", field="bit_rate")
        if self.encoding == "opus":
            self._check_opus()
        elif self.bit_rate or self.complexity is not None or self.fec:
            raise FormatError("bit_rate, complexity and fec: only for encoding='opus'", field="encoding")

    def _check_opus(self) -> None:
        if self.rate not in _opus.RATES:
            message = f"rate: {self.rate} is not supported with Opus; use 8000, 16000, 24000 or 48000"
            raise FormatError(message, field="rate")
        if self.complexity is not None and not _is_in(self.complexity, 0, 10):
            raise FormatError(f"complexity: {self.complexity!r} is not supported; use 0 to 10", field="complexity")

    @property
    def is_opus(self) -> bool:
        """Whether the audio is Opus on the network."""
        return self.encoding == "opus"

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
        bits and floats are converted into each other. A float that is no number becomes silence, and an
        infinite one full scale. Throws `FormatError` for anything else.

        >>> bytes(Format(16000).to_bytes(np.array([0.5, -2.0])))
        b'\\x00@\\x00\\x80'
        """
        if isinstance(audio, memoryview):
            if audio.itemsize == 1:
                return audio if audio.c_contiguous else audio.tobytes()
            audio = self._items(audio, name)
        if isinstance(audio, (bytes, bytearray)):
            return audio
        is_exact = type(audio) is np.ndarray and audio.ndim == self.channels == 1 and audio.dtype == self.dtype
        if is_exact and self.encoding == "s16":
            return audio.tobytes()
        array = _as_array(audio, name)
        shapes = {(), (1,)} if self.channels == 1 else {(2,)}
        if array.ndim == 0 or array.shape[1:] not in shapes:
            shape = "(n,)" if self.channels == 1 else "(n, 2)"
            message = f"{name}: the array has the shape {array.shape}, and {self.channels} channel(s) need {shape}"
            raise FormatError(message, field=name)
        return self._converted(array, name).tobytes()

    def to_array(self, data: bytes | bytearray | memoryview) -> Samples:
        """Returns the bytes of whole samples as an array of the shape (n,) or (n, 2), without a copy.

        >>> Format(16000, channels=2).to_array(bytes(8)).shape
        (2, 2)
        """
        check_bytes("data", data)
        if isinstance(data, memoryview) and data.itemsize != 1:
            data = self.to_bytes(data, "data")
        try:
            array: Samples = np.frombuffer(data, self.dtype)
        except ValueError as error:
            raise FormatError(f"data: these are not whole samples: {error}", field="data") from error
        if len(array) % self.channels:
            raise FormatError(f"data: {len(array)} samples are not whole samples of both channels", field="data")
        return array if self.channels == 1 else array.reshape(-1, self.channels)

    def _items(self, view: memoryview, name: str) -> Samples:
        """Returns the items of a view as an array, with a column for each of two interleaved channels."""
        array = _as_array(view, name)
        is_interleaved = array.ndim == 1 and len(array) % self.channels == 0
        return array.reshape(-1, self.channels) if is_interleaved else array

    def _converted(self, array: Samples, name: str) -> Samples:
        is_float = array.dtype.kind == "f"
        if not is_float and not (array.dtype.kind == "i" and array.dtype.itemsize == 2):
            message = f"{name}: the array has the type {array.dtype}; use int16, float32 or float64"
            raise FormatError(message, field=name)
        if self.encoding != "f32" and not is_float:
            return array.astype(self.dtype)
        if self.encoding == "f32":
            with np.errstate(over="ignore"):
                floats = np.asarray(array if is_float else array / 32768, self.dtype)
            return finite(floats)
        limited = np.clip(np.nan_to_num(array, nan=0), -1, 1)
        scaled: Samples = np.minimum(np.rint(limited * 32768), 32767).astype(self.dtype)
        return scaled

    def _message(self, *, is_output: bool = False) -> audio_pb2.AudioFormat:
        message = audio_pb2.AudioFormat(
            encoding=_ENCODINGS[self.encoding][0], sample_rate_hz=self.rate, channel_count=self.channels
        )
        if is_output and self.is_opus:
            message.opus.CopyFrom(
                audio_pb2.OpusSettings(bit_rate=self.bit_rate, complexity=self.complexity, fec=self.fec))
        return message

    @classmethod
    def _from(cls, message: audio_pb2.AudioFormat) -> Format:
        encoding = next((name for name, (number, _) in _ENCODINGS.items() if number == message.encoding), "")
        return cls(message.sample_rate_hz, message.channel_count, encoding)  # type: ignore[arg-type]
