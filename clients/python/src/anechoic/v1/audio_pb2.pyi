from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

AUDIO_ENCODING_OPUS: AudioEncoding
AUDIO_ENCODING_PCM_F32LE: AudioEncoding
AUDIO_ENCODING_PCM_S16LE: AudioEncoding
AUDIO_ENCODING_UNSPECIFIED: AudioEncoding
DESCRIPTOR: _descriptor.FileDescriptor
GAP_REASON_CONNECTION_LOST: GapReason
GAP_REASON_DEVICE_LOST: GapReason
GAP_REASON_DROPPED: GapReason
GAP_REASON_MUTED: GapReason
GAP_REASON_UNSPECIFIED: GapReason
GAP_REASON_XRUN: GapReason

class AudioChunk(_message.Message):
    __slots__ = ["device_time_ns", "first_sample", "gap_before", "samples"]
    DEVICE_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    FIRST_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    GAP_BEFORE_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    device_time_ns: int
    first_sample: int
    gap_before: GapReason
    samples: bytes
    def __init__(self, samples: _Optional[bytes] = ..., first_sample: _Optional[int] = ..., device_time_ns: _Optional[int] = ..., gap_before: _Optional[_Union[GapReason, str]] = ...) -> None: ...

class AudioFormat(_message.Message):
    __slots__ = ["channel_count", "encoding", "opus", "sample_rate_hz"]
    CHANNEL_COUNT_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    OPUS_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_RATE_HZ_FIELD_NUMBER: _ClassVar[int]
    channel_count: int
    encoding: AudioEncoding
    opus: OpusSettings
    sample_rate_hz: int
    def __init__(self, encoding: _Optional[_Union[AudioEncoding, str]] = ..., sample_rate_hz: _Optional[int] = ..., channel_count: _Optional[int] = ..., opus: _Optional[_Union[OpusSettings, _Mapping]] = ...) -> None: ...

class OpusSettings(_message.Message):
    __slots__ = ["bit_rate", "complexity", "expected_loss_percent", "fec"]
    BIT_RATE_FIELD_NUMBER: _ClassVar[int]
    COMPLEXITY_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_LOSS_PERCENT_FIELD_NUMBER: _ClassVar[int]
    FEC_FIELD_NUMBER: _ClassVar[int]
    bit_rate: int
    complexity: int
    expected_loss_percent: int
    fec: bool
    def __init__(self, bit_rate: _Optional[int] = ..., complexity: _Optional[int] = ..., fec: bool = ..., expected_loss_percent: _Optional[int] = ...) -> None: ...

class AudioEncoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class GapReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
