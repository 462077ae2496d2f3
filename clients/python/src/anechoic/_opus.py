"""Opus packets, made and read with the libopus of the system."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import weakref
from typing import TYPE_CHECKING, Any

from .errors import FormatError

if TYPE_CHECKING:
    from .formats import Format

RATES = (8000, 16000, 24000, 48000)
CHUNKS = (0.01, 0.02, 0.04, 0.06)
"""The durations of a packet in seconds."""
_NAMES = ("libopus.so.0", "libopus.0.dylib")
_LARGEST_PACKET = 4000
_LONGEST_PACKET = 0.12
_APPLICATION_VOIP = 2048
_SET_BITRATE, _SET_COMPLEXITY, _SET_FEC, _SET_LOSS = 4002, 4010, 4012, 4014


@functools.lru_cache(maxsize=None)
def _library() -> Any:
    """Loads libopus. Throws `FormatError` if the system has none."""
    for name in (*_NAMES, ctypes.util.find_library("opus")):
        if name is None:
            continue
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        for maker in (library.opus_encoder_create, library.opus_decoder_create):
            maker.restype = ctypes.c_void_p
        return library
    message = "encoding: 'opus' needs libopus, which is not installed; on Debian: apt-get install libopus0"
    raise FormatError(message, field="encoding", reason="LIBOPUS_MISSING")


def check_library() -> None:
    """Throws `FormatError` if the system has no libopus."""
    _library()


class Encoder:
    """Makes packets of 16-bit samples."""

    def __init__(self, format: Format, samples: int) -> None:
        """`samples` is the number of samples of each channel in a packet."""
        self._format, self._samples = format, samples
        library, error = _library(), ctypes.c_int()
        state = library.opus_encoder_create(format.rate, format.channels, _APPLICATION_VOIP, ctypes.byref(error))
        self._state = ctypes.c_void_p(state)
        self._end = weakref.finalize(self, library.opus_encoder_destroy, self._state)
        self._packet = ctypes.create_string_buffer(_LARGEST_PACKET)
        self._set(_SET_BITRATE, format.bit_rate or 32000 * format.channels)
        if format.complexity is not None:
            self._set(_SET_COMPLEXITY, format.complexity)
        if format.fec:
            self._set(_SET_FEC, 1)
            self._set(_SET_LOSS, 10)

    def _set(self, request: int, value: int) -> None:
        _library().opus_encoder_ctl(self._state, ctypes.c_int(request), ctypes.c_int(value))

    def encode(self, data: bytes) -> bytes:
        """Returns a packet. Samples that are missing at its end are silent."""
        data = data.ljust(self._samples * self._format.frame_bytes, b"\0")
        size = _library().opus_encode(self._state, data, self._samples, self._packet, _LARGEST_PACKET)
        if size < 0:
            raise FormatError(f"the audio could not be encoded: error {size} of libopus")
        return self._packet.raw[:size]


class Decoder:
    """Makes 16-bit samples of packets."""

    def __init__(self, format: Format) -> None:
        self._format = format
        self._longest = round(_LONGEST_PACKET * format.rate)
        library, error = _library(), ctypes.c_int()
        self._state = ctypes.c_void_p(
            library.opus_decoder_create(format.rate, format.channels, ctypes.byref(error)))
        self._end = weakref.finalize(self, library.opus_decoder_destroy, self._state)
        self._samples = ctypes.create_string_buffer(self._longest * format.frame_bytes)

    def count(self, packet: bytes) -> int:
        """Returns the number of samples of each channel in a packet."""
        return max(0, int(_library().opus_packet_get_nb_samples(packet, len(packet), self._format.rate)))

    def decode(self, packet: bytes) -> bytes:
        """Returns the samples of a packet, interleaved. One that cannot be decoded is concealed."""
        library = _library()
        count = library.opus_decode(self._state, packet, len(packet), self._samples, self._longest, 0)
        if count < 0:
            count = library.opus_decode(self._state, None, 0, self._samples, max(1, self.count(packet)), 0)
        return self._samples.raw[: max(0, count) * self._format.frame_bytes]
