from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
INJECTION_MODE_NONE: InjectionMode
INJECTION_MODE_SPOKEN_AUDIO: InjectionMode
INJECTION_MODE_UNSPECIFIED: InjectionMode
MIC_MODE_STANDARD: MicMode
MIC_MODE_UNSPECIFIED: MicMode
MIC_MODE_VOICE_ISOLATION: MicMode
MIC_MODE_WIDE_SPECTRUM: MicMode
MUTE_GESTURE_POLICY_APPLY: MuteGesturePolicy
MUTE_GESTURE_POLICY_ASK: MuteGesturePolicy
MUTE_GESTURE_POLICY_IGNORE: MuteGesturePolicy
MUTE_GESTURE_POLICY_UNSPECIFIED: MuteGesturePolicy

class MuteSettings(_message.Message):
    __slots__ = ["chime_disabled", "gesture_decision_timeout", "gesture_policy", "muted_talker_detection_disabled", "reject_gesture_on_timeout"]
    CHIME_DISABLED_FIELD_NUMBER: _ClassVar[int]
    GESTURE_DECISION_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    GESTURE_POLICY_FIELD_NUMBER: _ClassVar[int]
    MUTED_TALKER_DETECTION_DISABLED_FIELD_NUMBER: _ClassVar[int]
    REJECT_GESTURE_ON_TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    chime_disabled: bool
    gesture_decision_timeout: _duration_pb2.Duration
    gesture_policy: MuteGesturePolicy
    muted_talker_detection_disabled: bool
    reject_gesture_on_timeout: bool
    def __init__(self, gesture_policy: _Optional[_Union[MuteGesturePolicy, str]] = ..., gesture_decision_timeout: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., reject_gesture_on_timeout: bool = ..., chime_disabled: bool = ..., muted_talker_detection_disabled: bool = ...) -> None: ...

class OtherAudioDucking(_message.Message):
    __slots__ = ["advanced_ducking_enabled", "level"]
    class Level(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ADVANCED_DUCKING_ENABLED_FIELD_NUMBER: _ClassVar[int]
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    LEVEL_MAX: OtherAudioDucking.Level
    LEVEL_MID: OtherAudioDucking.Level
    LEVEL_MIN: OtherAudioDucking.Level
    LEVEL_UNSPECIFIED: OtherAudioDucking.Level
    advanced_ducking_enabled: bool
    level: OtherAudioDucking.Level
    def __init__(self, advanced_ducking_enabled: bool = ..., level: _Optional[_Union[OtherAudioDucking.Level, str]] = ...) -> None: ...

class SessionConfig(_message.Message):
    __slots__ = ["mute", "other_audio_ducking", "preferred_injection_mode", "preferred_mic_mode", "spatial_audio", "turn_detection", "voice_activity_detection", "voice_processing"]
    MUTE_FIELD_NUMBER: _ClassVar[int]
    OTHER_AUDIO_DUCKING_FIELD_NUMBER: _ClassVar[int]
    PREFERRED_INJECTION_MODE_FIELD_NUMBER: _ClassVar[int]
    PREFERRED_MIC_MODE_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_AUDIO_FIELD_NUMBER: _ClassVar[int]
    TURN_DETECTION_FIELD_NUMBER: _ClassVar[int]
    VOICE_ACTIVITY_DETECTION_FIELD_NUMBER: _ClassVar[int]
    VOICE_PROCESSING_FIELD_NUMBER: _ClassVar[int]
    mute: MuteSettings
    other_audio_ducking: OtherAudioDucking
    preferred_injection_mode: InjectionMode
    preferred_mic_mode: MicMode
    spatial_audio: SpatialAudio
    turn_detection: TurnDetection
    voice_activity_detection: VoiceActivityDetection
    voice_processing: VoiceProcessing
    def __init__(self, voice_processing: _Optional[_Union[VoiceProcessing, _Mapping]] = ..., preferred_mic_mode: _Optional[_Union[MicMode, str]] = ..., other_audio_ducking: _Optional[_Union[OtherAudioDucking, _Mapping]] = ..., mute: _Optional[_Union[MuteSettings, _Mapping]] = ..., voice_activity_detection: _Optional[_Union[VoiceActivityDetection, _Mapping]] = ..., preferred_injection_mode: _Optional[_Union[InjectionMode, str]] = ..., spatial_audio: _Optional[_Union[SpatialAudio, _Mapping]] = ..., turn_detection: _Optional[_Union[TurnDetection, _Mapping]] = ...) -> None: ...

class SpatialAudio(_message.Message):
    __slots__ = ["early_reflections_disabled", "enabled", "head_tracked", "listener_profile", "other_audio_mixed_down", "sources"]
    class Source(_message.Message):
        __slots__ = ["azimuth_degrees", "distance_meters", "elevation_degrees", "far_end_id", "gain_db"]
        AZIMUTH_DEGREES_FIELD_NUMBER: _ClassVar[int]
        DISTANCE_METERS_FIELD_NUMBER: _ClassVar[int]
        ELEVATION_DEGREES_FIELD_NUMBER: _ClassVar[int]
        FAR_END_ID_FIELD_NUMBER: _ClassVar[int]
        GAIN_DB_FIELD_NUMBER: _ClassVar[int]
        azimuth_degrees: float
        distance_meters: float
        elevation_degrees: float
        far_end_id: str
        gain_db: float
        def __init__(self, far_end_id: _Optional[str] = ..., azimuth_degrees: _Optional[float] = ..., elevation_degrees: _Optional[float] = ..., distance_meters: _Optional[float] = ..., gain_db: _Optional[float] = ...) -> None: ...
    EARLY_REFLECTIONS_DISABLED_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    HEAD_TRACKED_FIELD_NUMBER: _ClassVar[int]
    LISTENER_PROFILE_FIELD_NUMBER: _ClassVar[int]
    OTHER_AUDIO_MIXED_DOWN_FIELD_NUMBER: _ClassVar[int]
    SOURCES_FIELD_NUMBER: _ClassVar[int]
    early_reflections_disabled: bool
    enabled: bool
    head_tracked: bool
    listener_profile: str
    other_audio_mixed_down: bool
    sources: _containers.RepeatedCompositeFieldContainer[SpatialAudio.Source]
    def __init__(self, enabled: bool = ..., head_tracked: bool = ..., listener_profile: _Optional[str] = ..., sources: _Optional[_Iterable[_Union[SpatialAudio.Source, _Mapping]]] = ..., early_reflections_disabled: bool = ..., other_audio_mixed_down: bool = ...) -> None: ...

class TurnDetection(_message.Message):
    __slots__ = ["enabled", "end_probability", "longest_pause"]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    END_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    LONGEST_PAUSE_FIELD_NUMBER: _ClassVar[int]
    enabled: bool
    end_probability: float
    longest_pause: _duration_pb2.Duration
    def __init__(self, enabled: bool = ..., end_probability: _Optional[float] = ..., longest_pause: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class VoiceActivityDetection(_message.Message):
    __slots__ = ["enabled", "far_end_enabled", "hangover", "start_window"]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    FAR_END_ENABLED_FIELD_NUMBER: _ClassVar[int]
    HANGOVER_FIELD_NUMBER: _ClassVar[int]
    START_WINDOW_FIELD_NUMBER: _ClassVar[int]
    enabled: bool
    far_end_enabled: bool
    hangover: _duration_pb2.Duration
    start_window: _duration_pb2.Duration
    def __init__(self, enabled: bool = ..., far_end_enabled: bool = ..., start_window: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., hangover: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class VoiceProcessing(_message.Message):
    __slots__ = ["bypassed", "echo_cancellation", "gain_control", "high_pass_filter", "noise_suppression"]
    class Level(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    class EchoCancellation(_message.Message):
        __slots__ = ["enabled", "suppression"]
        ENABLED_FIELD_NUMBER: _ClassVar[int]
        SUPPRESSION_FIELD_NUMBER: _ClassVar[int]
        enabled: bool
        suppression: VoiceProcessing.Level
        def __init__(self, enabled: bool = ..., suppression: _Optional[_Union[VoiceProcessing.Level, str]] = ...) -> None: ...
    class GainControl(_message.Message):
        __slots__ = ["enabled", "target_level_dbfs"]
        ENABLED_FIELD_NUMBER: _ClassVar[int]
        TARGET_LEVEL_DBFS_FIELD_NUMBER: _ClassVar[int]
        enabled: bool
        target_level_dbfs: int
        def __init__(self, enabled: bool = ..., target_level_dbfs: _Optional[int] = ...) -> None: ...
    class NoiseSuppression(_message.Message):
        __slots__ = ["enabled", "level"]
        ENABLED_FIELD_NUMBER: _ClassVar[int]
        LEVEL_FIELD_NUMBER: _ClassVar[int]
        enabled: bool
        level: VoiceProcessing.Level
        def __init__(self, enabled: bool = ..., level: _Optional[_Union[VoiceProcessing.Level, str]] = ...) -> None: ...
    BYPASSED_FIELD_NUMBER: _ClassVar[int]
    ECHO_CANCELLATION_FIELD_NUMBER: _ClassVar[int]
    GAIN_CONTROL_FIELD_NUMBER: _ClassVar[int]
    HIGH_PASS_FILTER_FIELD_NUMBER: _ClassVar[int]
    LEVEL_HIGH: VoiceProcessing.Level
    LEVEL_LOW: VoiceProcessing.Level
    LEVEL_MODERATE: VoiceProcessing.Level
    LEVEL_UNSPECIFIED: VoiceProcessing.Level
    LEVEL_VERY_HIGH: VoiceProcessing.Level
    NOISE_SUPPRESSION_FIELD_NUMBER: _ClassVar[int]
    bypassed: bool
    echo_cancellation: VoiceProcessing.EchoCancellation
    gain_control: VoiceProcessing.GainControl
    high_pass_filter: bool
    noise_suppression: VoiceProcessing.NoiseSuppression
    def __init__(self, bypassed: bool = ..., echo_cancellation: _Optional[_Union[VoiceProcessing.EchoCancellation, _Mapping]] = ..., noise_suppression: _Optional[_Union[VoiceProcessing.NoiseSuppression, _Mapping]] = ..., gain_control: _Optional[_Union[VoiceProcessing.GainControl, _Mapping]] = ..., high_pass_filter: bool = ...) -> None: ...

class MicMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MuteGesturePolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class InjectionMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
