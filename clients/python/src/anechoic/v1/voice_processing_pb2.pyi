from anechoic.v1 import audio_pb2 as _audio_pb2
from anechoic.v1 import config_pb2 as _config_pb2
from anechoic.v1 import events_pb2 as _events_pb2
from anechoic.v1 import stats_pb2 as _stats_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import field_mask_pb2 as _field_mask_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
PACING_MEDIA_CLOCK: Pacing
PACING_REAL_TIME: Pacing
PACING_UNSPECIFIED: Pacing

class AudioInput(_message.Message):
    __slots__ = ["far_end", "far_ends", "microphone", "other_audio", "reference"]
    FAR_ENDS_FIELD_NUMBER: _ClassVar[int]
    FAR_END_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_FIELD_NUMBER: _ClassVar[int]
    OTHER_AUDIO_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    far_end: _audio_pb2.AudioChunk
    far_ends: _containers.RepeatedCompositeFieldContainer[FarEndAudio]
    microphone: _audio_pb2.AudioChunk
    other_audio: _audio_pb2.AudioChunk
    reference: _audio_pb2.AudioChunk
    def __init__(self, microphone: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., reference: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., far_end: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., other_audio: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., far_ends: _Optional[_Iterable[_Union[FarEndAudio, _Mapping]]] = ...) -> None: ...

class AudioOutput(_message.Message):
    __slots__ = ["frames", "playback", "processed", "raw", "recognizer"]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_FIELD_NUMBER: _ClassVar[int]
    PROCESSED_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    RECOGNIZER_FIELD_NUMBER: _ClassVar[int]
    frames: _containers.RepeatedCompositeFieldContainer[FrameInfo]
    playback: _audio_pb2.AudioChunk
    processed: _audio_pb2.AudioChunk
    raw: _audio_pb2.AudioChunk
    recognizer: _audio_pb2.AudioChunk
    def __init__(self, processed: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., playback: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., frames: _Optional[_Iterable[_Union[FrameInfo, _Mapping]]] = ..., recognizer: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ..., raw: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ...) -> None: ...

class ClearPlayback(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ConfigUpdate(_message.Message):
    __slots__ = ["config", "update_mask"]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    UPDATE_MASK_FIELD_NUMBER: _ClassVar[int]
    config: _config_pb2.SessionConfig
    update_mask: _field_mask_pb2.FieldMask
    def __init__(self, config: _Optional[_Union[_config_pb2.SessionConfig, _Mapping]] = ..., update_mask: _Optional[_Union[_field_mask_pb2.FieldMask, _Mapping]] = ...) -> None: ...

class Control(_message.Message):
    __slots__ = ["at_sample", "clear_playback", "control_id", "decide_injection_permission", "decide_mute_gesture", "enroll_voice", "set_mute", "set_voiceprint", "update_config"]
    AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    CLEAR_PLAYBACK_FIELD_NUMBER: _ClassVar[int]
    CONTROL_ID_FIELD_NUMBER: _ClassVar[int]
    DECIDE_INJECTION_PERMISSION_FIELD_NUMBER: _ClassVar[int]
    DECIDE_MUTE_GESTURE_FIELD_NUMBER: _ClassVar[int]
    ENROLL_VOICE_FIELD_NUMBER: _ClassVar[int]
    SET_MUTE_FIELD_NUMBER: _ClassVar[int]
    SET_VOICEPRINT_FIELD_NUMBER: _ClassVar[int]
    UPDATE_CONFIG_FIELD_NUMBER: _ClassVar[int]
    at_sample: int
    clear_playback: ClearPlayback
    control_id: int
    decide_injection_permission: InjectionPermissionDecision
    decide_mute_gesture: MuteGestureDecision
    enroll_voice: EnrollVoice
    set_mute: SetMute
    set_voiceprint: SetVoiceprint
    update_config: ConfigUpdate
    def __init__(self, control_id: _Optional[int] = ..., at_sample: _Optional[int] = ..., update_config: _Optional[_Union[ConfigUpdate, _Mapping]] = ..., set_mute: _Optional[_Union[SetMute, _Mapping]] = ..., decide_mute_gesture: _Optional[_Union[MuteGestureDecision, _Mapping]] = ..., decide_injection_permission: _Optional[_Union[InjectionPermissionDecision, _Mapping]] = ..., clear_playback: _Optional[_Union[ClearPlayback, _Mapping]] = ..., enroll_voice: _Optional[_Union[EnrollVoice, _Mapping]] = ..., set_voiceprint: _Optional[_Union[SetVoiceprint, _Mapping]] = ...) -> None: ...

class ControlResult(_message.Message):
    __slots__ = ["applied_at_sample", "control_id", "refusal"]
    class Refusal(_message.Message):
        __slots__ = ["code", "message", "reason"]
        CODE_FIELD_NUMBER: _ClassVar[int]
        MESSAGE_FIELD_NUMBER: _ClassVar[int]
        REASON_FIELD_NUMBER: _ClassVar[int]
        code: int
        message: str
        reason: str
        def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...
    APPLIED_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    CONTROL_ID_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    applied_at_sample: int
    control_id: int
    refusal: ControlResult.Refusal
    def __init__(self, control_id: _Optional[int] = ..., applied_at_sample: _Optional[int] = ..., refusal: _Optional[_Union[ControlResult.Refusal, _Mapping]] = ...) -> None: ...

class DeviceReport(_message.Message):
    __slots__ = ["interruption", "route_changed"]
    INTERRUPTION_FIELD_NUMBER: _ClassVar[int]
    ROUTE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    interruption: _events_pb2.Interruption
    route_changed: _events_pb2.RouteChanged
    def __init__(self, route_changed: _Optional[_Union[_events_pb2.RouteChanged, _Mapping]] = ..., interruption: _Optional[_Union[_events_pb2.Interruption, _Mapping]] = ...) -> None: ...

class EchoPath(_message.Message):
    __slots__ = ["channel_count", "held", "lag", "response", "sample_rate_hz"]
    CHANNEL_COUNT_FIELD_NUMBER: _ClassVar[int]
    HELD_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_RATE_HZ_FIELD_NUMBER: _ClassVar[int]
    channel_count: int
    held: _duration_pb2.Duration
    lag: _duration_pb2.Duration
    response: bytes
    sample_rate_hz: int
    def __init__(self, sample_rate_hz: _Optional[int] = ..., channel_count: _Optional[int] = ..., lag: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., held: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., response: _Optional[bytes] = ...) -> None: ...

class Engine(_message.Message):
    __slots__ = ["name", "version", "weights_sha256"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    WEIGHTS_SHA256_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    weights_sha256: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ..., weights_sha256: _Optional[str] = ...) -> None: ...

class EngineCapabilities(_message.Message):
    __slots__ = ["engine", "is_default", "rates"]
    class Rate(_message.Message):
        __slots__ = ["delay_with_reference", "delay_without_reference", "frame_time", "sample_rate_hz"]
        DELAY_WITHOUT_REFERENCE_FIELD_NUMBER: _ClassVar[int]
        DELAY_WITH_REFERENCE_FIELD_NUMBER: _ClassVar[int]
        FRAME_TIME_FIELD_NUMBER: _ClassVar[int]
        SAMPLE_RATE_HZ_FIELD_NUMBER: _ClassVar[int]
        delay_with_reference: _duration_pb2.Duration
        delay_without_reference: _duration_pb2.Duration
        frame_time: _duration_pb2.Duration
        sample_rate_hz: int
        def __init__(self, sample_rate_hz: _Optional[int] = ..., delay_with_reference: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., delay_without_reference: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., frame_time: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    IS_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    RATES_FIELD_NUMBER: _ClassVar[int]
    engine: Engine
    is_default: bool
    rates: _containers.RepeatedCompositeFieldContainer[EngineCapabilities.Rate]
    def __init__(self, engine: _Optional[_Union[Engine, _Mapping]] = ..., is_default: bool = ..., rates: _Optional[_Iterable[_Union[EngineCapabilities.Rate, _Mapping]]] = ...) -> None: ...

class EnrollVoice(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class FarEndAudio(_message.Message):
    __slots__ = ["audio", "far_end_id"]
    AUDIO_FIELD_NUMBER: _ClassVar[int]
    FAR_END_ID_FIELD_NUMBER: _ClassVar[int]
    audio: _audio_pb2.AudioChunk
    far_end_id: str
    def __init__(self, far_end_id: _Optional[str] = ..., audio: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ...) -> None: ...

class FrameInfo(_message.Message):
    __slots__ = ["muted", "speech_probability", "voice"]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    SPEECH_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    VOICE_FIELD_NUMBER: _ClassVar[int]
    muted: bool
    speech_probability: float
    voice: bool
    def __init__(self, speech_probability: _Optional[float] = ..., voice: bool = ..., muted: bool = ...) -> None: ...

class GetCapabilitiesRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class GetCapabilitiesResponse(_message.Message):
    __slots__ = ["encodings", "engines", "max_message_bytes", "mic_modes", "resume_window", "sample_rates_hz", "sessions_active", "sessions_max", "version"]
    ENCODINGS_FIELD_NUMBER: _ClassVar[int]
    ENGINES_FIELD_NUMBER: _ClassVar[int]
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MIC_MODES_FIELD_NUMBER: _ClassVar[int]
    RESUME_WINDOW_FIELD_NUMBER: _ClassVar[int]
    SAMPLE_RATES_HZ_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    SESSIONS_MAX_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    encodings: _containers.RepeatedScalarFieldContainer[_audio_pb2.AudioEncoding]
    engines: _containers.RepeatedCompositeFieldContainer[EngineCapabilities]
    max_message_bytes: int
    mic_modes: _containers.RepeatedScalarFieldContainer[_config_pb2.MicMode]
    resume_window: _duration_pb2.Duration
    sample_rates_hz: _containers.RepeatedScalarFieldContainer[int]
    sessions_active: int
    sessions_max: int
    version: str
    def __init__(self, version: _Optional[str] = ..., sample_rates_hz: _Optional[_Iterable[int]] = ..., encodings: _Optional[_Iterable[_Union[_audio_pb2.AudioEncoding, str]]] = ..., mic_modes: _Optional[_Iterable[_Union[_config_pb2.MicMode, str]]] = ..., sessions_active: _Optional[int] = ..., sessions_max: _Optional[int] = ..., max_message_bytes: _Optional[int] = ..., engines: _Optional[_Iterable[_Union[EngineCapabilities, _Mapping]]] = ..., resume_window: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class HeadPose(_message.Message):
    __slots__ = ["angles", "device_time_ns", "quaternion"]
    class Angles(_message.Message):
        __slots__ = ["pitch_degrees", "roll_degrees", "yaw_degrees"]
        PITCH_DEGREES_FIELD_NUMBER: _ClassVar[int]
        ROLL_DEGREES_FIELD_NUMBER: _ClassVar[int]
        YAW_DEGREES_FIELD_NUMBER: _ClassVar[int]
        pitch_degrees: float
        roll_degrees: float
        yaw_degrees: float
        def __init__(self, yaw_degrees: _Optional[float] = ..., pitch_degrees: _Optional[float] = ..., roll_degrees: _Optional[float] = ...) -> None: ...
    class Quaternion(_message.Message):
        __slots__ = ["w", "x", "y", "z"]
        W_FIELD_NUMBER: _ClassVar[int]
        X_FIELD_NUMBER: _ClassVar[int]
        Y_FIELD_NUMBER: _ClassVar[int]
        Z_FIELD_NUMBER: _ClassVar[int]
        w: float
        x: float
        y: float
        z: float
        def __init__(self, w: _Optional[float] = ..., x: _Optional[float] = ..., y: _Optional[float] = ..., z: _Optional[float] = ...) -> None: ...
    ANGLES_FIELD_NUMBER: _ClassVar[int]
    DEVICE_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    QUATERNION_FIELD_NUMBER: _ClassVar[int]
    angles: HeadPose.Angles
    device_time_ns: int
    quaternion: HeadPose.Quaternion
    def __init__(self, device_time_ns: _Optional[int] = ..., quaternion: _Optional[_Union[HeadPose.Quaternion, _Mapping]] = ..., angles: _Optional[_Union[HeadPose.Angles, _Mapping]] = ...) -> None: ...

class InjectionPermissionDecision(_message.Message):
    __slots__ = ["client", "grant", "remember"]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    GRANT_FIELD_NUMBER: _ClassVar[int]
    REMEMBER_FIELD_NUMBER: _ClassVar[int]
    client: str
    grant: bool
    remember: bool
    def __init__(self, client: _Optional[str] = ..., grant: bool = ..., remember: bool = ...) -> None: ...

class JoinSessionRequest(_message.Message):
    __slots__ = ["token"]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    token: bytes
    def __init__(self, token: _Optional[bytes] = ...) -> None: ...

class JoinSessionResponse(_message.Message):
    __slots__ = ["joined", "playback"]
    JOINED_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_FIELD_NUMBER: _ClassVar[int]
    joined: Joined
    playback: _audio_pb2.AudioChunk
    def __init__(self, joined: _Optional[_Union[Joined, _Mapping]] = ..., playback: _Optional[_Union[_audio_pb2.AudioChunk, _Mapping]] = ...) -> None: ...

class Joined(_message.Message):
    __slots__ = ["chunk_duration", "playback", "playback_delay", "session"]
    CHUNK_DURATION_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_DELAY_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    chunk_duration: _duration_pb2.Duration
    playback: _audio_pb2.AudioFormat
    playback_delay: _duration_pb2.Duration
    session: str
    def __init__(self, session: _Optional[str] = ..., playback: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., chunk_duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., playback_delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class MuteGestureDecision(_message.Message):
    __slots__ = ["accept", "gesture_id"]
    ACCEPT_FIELD_NUMBER: _ClassVar[int]
    GESTURE_ID_FIELD_NUMBER: _ClassVar[int]
    accept: bool
    gesture_id: str
    def __init__(self, gesture_id: _Optional[str] = ..., accept: bool = ...) -> None: ...

class PlaybackReport(_message.Message):
    __slots__ = ["device_time_ns", "first_sample", "rate_ppm", "silence_samples", "skipped_samples"]
    DEVICE_TIME_NS_FIELD_NUMBER: _ClassVar[int]
    FIRST_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    RATE_PPM_FIELD_NUMBER: _ClassVar[int]
    SILENCE_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    device_time_ns: int
    first_sample: int
    rate_ppm: float
    silence_samples: int
    skipped_samples: int
    def __init__(self, first_sample: _Optional[int] = ..., device_time_ns: _Optional[int] = ..., silence_samples: _Optional[int] = ..., rate_ppm: _Optional[float] = ..., skipped_samples: _Optional[int] = ...) -> None: ...

class ProcessRequest(_message.Message):
    __slots__ = ["audio", "control", "device_report", "head_pose", "playback_report", "start"]
    AUDIO_FIELD_NUMBER: _ClassVar[int]
    CONTROL_FIELD_NUMBER: _ClassVar[int]
    DEVICE_REPORT_FIELD_NUMBER: _ClassVar[int]
    HEAD_POSE_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_REPORT_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    audio: AudioInput
    control: Control
    device_report: DeviceReport
    head_pose: HeadPose
    playback_report: PlaybackReport
    start: Start
    def __init__(self, audio: _Optional[_Union[AudioInput, _Mapping]] = ..., start: _Optional[_Union[Start, _Mapping]] = ..., playback_report: _Optional[_Union[PlaybackReport, _Mapping]] = ..., control: _Optional[_Union[Control, _Mapping]] = ..., device_report: _Optional[_Union[DeviceReport, _Mapping]] = ..., head_pose: _Optional[_Union[HeadPose, _Mapping]] = ...) -> None: ...

class ProcessResponse(_message.Message):
    __slots__ = ["audio", "control_result", "echo_path", "event", "started", "stats", "voiceprint"]
    AUDIO_FIELD_NUMBER: _ClassVar[int]
    CONTROL_RESULT_FIELD_NUMBER: _ClassVar[int]
    ECHO_PATH_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    STARTED_FIELD_NUMBER: _ClassVar[int]
    STATS_FIELD_NUMBER: _ClassVar[int]
    VOICEPRINT_FIELD_NUMBER: _ClassVar[int]
    audio: AudioOutput
    control_result: ControlResult
    echo_path: EchoPath
    event: _events_pb2.SessionEvent
    started: Started
    stats: _stats_pb2.SessionStats
    voiceprint: Voiceprint
    def __init__(self, audio: _Optional[_Union[AudioOutput, _Mapping]] = ..., started: _Optional[_Union[Started, _Mapping]] = ..., event: _Optional[_Union[_events_pb2.SessionEvent, _Mapping]] = ..., control_result: _Optional[_Union[ControlResult, _Mapping]] = ..., stats: _Optional[_Union[_stats_pb2.SessionStats, _Mapping]] = ..., echo_path: _Optional[_Union[EchoPath, _Mapping]] = ..., voiceprint: _Optional[_Union[Voiceprint, _Mapping]] = ...) -> None: ...

class SetMute(_message.Message):
    __slots__ = ["if_generation", "muted"]
    IF_GENERATION_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    if_generation: int
    muted: bool
    def __init__(self, muted: bool = ..., if_generation: _Optional[int] = ...) -> None: ...

class SetVoiceprint(_message.Message):
    __slots__ = ["voiceprint"]
    VOICEPRINT_FIELD_NUMBER: _ClassVar[int]
    voiceprint: Voiceprint
    def __init__(self, voiceprint: _Optional[_Union[Voiceprint, _Mapping]] = ...) -> None: ...

class Start(_message.Message):
    __slots__ = ["config", "echo_path_hint", "echo_path_wanted", "engine", "enroll_voice", "inputs", "labels", "muted", "outputs", "pacing", "resume_point", "resume_token", "resume_window", "session_id", "stats_interval", "voiceprint"]
    class Inputs(_message.Message):
        __slots__ = ["far_end", "far_ends", "microphone", "microphone_pair", "other_audio", "reference"]
        class FarEnd(_message.Message):
            __slots__ = ["far_end_id", "format"]
            FAR_END_ID_FIELD_NUMBER: _ClassVar[int]
            FORMAT_FIELD_NUMBER: _ClassVar[int]
            far_end_id: str
            format: _audio_pb2.AudioFormat
            def __init__(self, far_end_id: _Optional[str] = ..., format: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ...) -> None: ...
        FAR_ENDS_FIELD_NUMBER: _ClassVar[int]
        FAR_END_FIELD_NUMBER: _ClassVar[int]
        MICROPHONE_FIELD_NUMBER: _ClassVar[int]
        MICROPHONE_PAIR_FIELD_NUMBER: _ClassVar[int]
        OTHER_AUDIO_FIELD_NUMBER: _ClassVar[int]
        REFERENCE_FIELD_NUMBER: _ClassVar[int]
        far_end: _audio_pb2.AudioFormat
        far_ends: _containers.RepeatedCompositeFieldContainer[Start.Inputs.FarEnd]
        microphone: _audio_pb2.AudioFormat
        microphone_pair: _events_pb2.MicrophonePair
        other_audio: _audio_pb2.AudioFormat
        reference: _audio_pb2.AudioFormat
        def __init__(self, microphone: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., reference: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., far_end: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., other_audio: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., far_ends: _Optional[_Iterable[_Union[Start.Inputs.FarEnd, _Mapping]]] = ..., microphone_pair: _Optional[_Union[_events_pb2.MicrophonePair, _Mapping]] = ...) -> None: ...
    class LabelsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    class Outputs(_message.Message):
        __slots__ = ["chunk_duration", "playback", "playback_elsewhere", "processed", "raw", "recognizer"]
        CHUNK_DURATION_FIELD_NUMBER: _ClassVar[int]
        PLAYBACK_ELSEWHERE_FIELD_NUMBER: _ClassVar[int]
        PLAYBACK_FIELD_NUMBER: _ClassVar[int]
        PROCESSED_FIELD_NUMBER: _ClassVar[int]
        RAW_FIELD_NUMBER: _ClassVar[int]
        RECOGNIZER_FIELD_NUMBER: _ClassVar[int]
        chunk_duration: _duration_pb2.Duration
        playback: _audio_pb2.AudioFormat
        playback_elsewhere: bool
        processed: _audio_pb2.AudioFormat
        raw: _audio_pb2.AudioFormat
        recognizer: _audio_pb2.AudioFormat
        def __init__(self, processed: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., playback: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., chunk_duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., playback_elsewhere: bool = ..., recognizer: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ..., raw: _Optional[_Union[_audio_pb2.AudioFormat, _Mapping]] = ...) -> None: ...
    class ResumePoint(_message.Message):
        __slots__ = ["last_event_id", "microphone_sample", "processed_samples"]
        LAST_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
        MICROPHONE_SAMPLE_FIELD_NUMBER: _ClassVar[int]
        PROCESSED_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        last_event_id: int
        microphone_sample: int
        processed_samples: int
        def __init__(self, last_event_id: _Optional[int] = ..., processed_samples: _Optional[int] = ..., microphone_sample: _Optional[int] = ...) -> None: ...
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    ECHO_PATH_HINT_FIELD_NUMBER: _ClassVar[int]
    ECHO_PATH_WANTED_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    ENROLL_VOICE_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    LABELS_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    PACING_FIELD_NUMBER: _ClassVar[int]
    RESUME_POINT_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUME_WINDOW_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    STATS_INTERVAL_FIELD_NUMBER: _ClassVar[int]
    VOICEPRINT_FIELD_NUMBER: _ClassVar[int]
    config: _config_pb2.SessionConfig
    echo_path_hint: EchoPath
    echo_path_wanted: bool
    engine: str
    enroll_voice: bool
    inputs: Start.Inputs
    labels: _containers.ScalarMap[str, str]
    muted: bool
    outputs: Start.Outputs
    pacing: Pacing
    resume_point: Start.ResumePoint
    resume_token: bytes
    resume_window: _duration_pb2.Duration
    session_id: str
    stats_interval: _duration_pb2.Duration
    voiceprint: Voiceprint
    def __init__(self, session_id: _Optional[str] = ..., config: _Optional[_Union[_config_pb2.SessionConfig, _Mapping]] = ..., muted: bool = ..., inputs: _Optional[_Union[Start.Inputs, _Mapping]] = ..., outputs: _Optional[_Union[Start.Outputs, _Mapping]] = ..., pacing: _Optional[_Union[Pacing, str]] = ..., stats_interval: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., labels: _Optional[_Mapping[str, str]] = ..., engine: _Optional[str] = ..., resume_token: _Optional[bytes] = ..., resume_window: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., resume_point: _Optional[_Union[Start.ResumePoint, _Mapping]] = ..., echo_path_hint: _Optional[_Union[EchoPath, _Mapping]] = ..., echo_path_wanted: bool = ..., voiceprint: _Optional[_Union[Voiceprint, _Mapping]] = ..., enroll_voice: bool = ...) -> None: ...

class Started(_message.Message):
    __slots__ = ["algorithmic_delay", "config", "echo_path_used", "engine", "inputs", "join_token", "mute", "outputs", "playback_delay", "raw_delay", "recognizer_delay", "resume_token", "resume_window", "resumed", "session", "voiceprint_used", "warnings"]
    class Resumed(_message.Message):
        __slots__ = ["concealed_samples", "lost_events", "lost_samples", "microphone_sample", "processed_sample", "suspended_for"]
        CONCEALED_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        LOST_EVENTS_FIELD_NUMBER: _ClassVar[int]
        LOST_SAMPLES_FIELD_NUMBER: _ClassVar[int]
        MICROPHONE_SAMPLE_FIELD_NUMBER: _ClassVar[int]
        PROCESSED_SAMPLE_FIELD_NUMBER: _ClassVar[int]
        SUSPENDED_FOR_FIELD_NUMBER: _ClassVar[int]
        concealed_samples: int
        lost_events: int
        lost_samples: int
        microphone_sample: int
        processed_sample: int
        suspended_for: _duration_pb2.Duration
        def __init__(self, microphone_sample: _Optional[int] = ..., concealed_samples: _Optional[int] = ..., processed_sample: _Optional[int] = ..., lost_samples: _Optional[int] = ..., lost_events: _Optional[int] = ..., suspended_for: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...
    ALGORITHMIC_DELAY_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    ECHO_PATH_USED_FIELD_NUMBER: _ClassVar[int]
    ENGINE_FIELD_NUMBER: _ClassVar[int]
    INPUTS_FIELD_NUMBER: _ClassVar[int]
    JOIN_TOKEN_FIELD_NUMBER: _ClassVar[int]
    MUTE_FIELD_NUMBER: _ClassVar[int]
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_DELAY_FIELD_NUMBER: _ClassVar[int]
    RAW_DELAY_FIELD_NUMBER: _ClassVar[int]
    RECOGNIZER_DELAY_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    RESUME_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESUME_WINDOW_FIELD_NUMBER: _ClassVar[int]
    SESSION_FIELD_NUMBER: _ClassVar[int]
    VOICEPRINT_USED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    algorithmic_delay: _duration_pb2.Duration
    config: _config_pb2.SessionConfig
    echo_path_used: bool
    engine: Engine
    inputs: Start.Inputs
    join_token: bytes
    mute: _events_pb2.MuteState
    outputs: Start.Outputs
    playback_delay: _duration_pb2.Duration
    raw_delay: _duration_pb2.Duration
    recognizer_delay: _duration_pb2.Duration
    resume_token: bytes
    resume_window: _duration_pb2.Duration
    resumed: Started.Resumed
    session: str
    voiceprint_used: bool
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, session: _Optional[str] = ..., config: _Optional[_Union[_config_pb2.SessionConfig, _Mapping]] = ..., mute: _Optional[_Union[_events_pb2.MuteState, _Mapping]] = ..., inputs: _Optional[_Union[Start.Inputs, _Mapping]] = ..., outputs: _Optional[_Union[Start.Outputs, _Mapping]] = ..., algorithmic_delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., engine: _Optional[_Union[Engine, _Mapping]] = ..., resume_token: _Optional[bytes] = ..., resume_window: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., resumed: _Optional[_Union[Started.Resumed, _Mapping]] = ..., playback_delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., join_token: _Optional[bytes] = ..., recognizer_delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., raw_delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., echo_path_used: bool = ..., voiceprint_used: bool = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class Voiceprint(_message.Message):
    __slots__ = ["encoder", "values"]
    ENCODER_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    encoder: str
    values: bytes
    def __init__(self, encoder: _Optional[str] = ..., values: _Optional[bytes] = ...) -> None: ...

class Pacing(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
