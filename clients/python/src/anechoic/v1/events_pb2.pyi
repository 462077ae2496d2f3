from anechoic.v1 import audio_pb2 as _audio_pb2
from anechoic.v1 import config_pb2 as _config_pb2
from anechoic.v1 import options_pb2 as _options_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
INJECTION_PERMISSION_DENIED: InjectionPermission
INJECTION_PERMISSION_GRANTED: InjectionPermission
INJECTION_PERMISSION_SERVICE_DISABLED: InjectionPermission
INJECTION_PERMISSION_UNDETERMINED: InjectionPermission
INJECTION_PERMISSION_UNSPECIFIED: InjectionPermission
INPUT_KIND_FAR_END: InputKind
INPUT_KIND_MICROPHONE: InputKind
INPUT_KIND_OTHER_AUDIO: InputKind
INPUT_KIND_REFERENCE: InputKind
INPUT_KIND_UNSPECIFIED: InputKind
MUTE_GESTURE_OUTCOME_APPLIED: MuteGestureOutcome
MUTE_GESTURE_OUTCOME_IGNORED: MuteGestureOutcome
MUTE_GESTURE_OUTCOME_REJECTED: MuteGestureOutcome
MUTE_GESTURE_OUTCOME_TIMED_OUT: MuteGestureOutcome
MUTE_GESTURE_OUTCOME_UNSPECIFIED: MuteGestureOutcome
MUTE_SOURCE_CONTROL_CLIENT: MuteSource
MUTE_SOURCE_GESTURE: MuteSource
MUTE_SOURCE_MEDIA_CLIENT: MuteSource
MUTE_SOURCE_UNSPECIFIED: MuteSource
SIDE_FAR_END: Side
SIDE_NEAR_END: Side
SIDE_UNSPECIFIED: Side
SPEECH_ACTIVITY_ENDED: SpeechActivity
SPEECH_ACTIVITY_STARTED: SpeechActivity
SPEECH_ACTIVITY_UNSPECIFIED: SpeechActivity
VOICE_ENROLLMENT_ENROLLED: VoiceEnrollment
VOICE_ENROLLMENT_ENROLLING: VoiceEnrollment
VOICE_ENROLLMENT_NONE: VoiceEnrollment
VOICE_ENROLLMENT_UNSPECIFIED: VoiceEnrollment

class AudioPort(_message.Message):
    __slots__ = ["display_name", "headphones", "microphone_pair", "port_id", "type"]
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    HEADPHONES_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_PAIR_FIELD_NUMBER: _ClassVar[int]
    PORT_ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_BLUETOOTH: AudioPort.Type
    TYPE_BUILT_IN: AudioPort.Type
    TYPE_FIELD_NUMBER: _ClassVar[int]
    TYPE_HDMI: AudioPort.Type
    TYPE_LINE: AudioPort.Type
    TYPE_UNSPECIFIED: AudioPort.Type
    TYPE_USB: AudioPort.Type
    TYPE_VIRTUAL: AudioPort.Type
    display_name: str
    headphones: bool
    microphone_pair: MicrophonePair
    port_id: str
    type: AudioPort.Type
    def __init__(self, port_id: _Optional[str] = ..., display_name: _Optional[str] = ..., type: _Optional[_Union[AudioPort.Type, str]] = ..., headphones: bool = ..., microphone_pair: _Optional[_Union[MicrophonePair, _Mapping]] = ...) -> None: ...

class AudioRoute(_message.Message):
    __slots__ = ["input", "output"]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    input: AudioPort
    output: AudioPort
    def __init__(self, input: _Optional[_Union[AudioPort, _Mapping]] = ..., output: _Optional[_Union[AudioPort, _Mapping]] = ...) -> None: ...

class Backchannel(_message.Message):
    __slots__ = ["began_at_sample", "probability"]
    BEGAN_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    began_at_sample: int
    probability: float
    def __init__(self, began_at_sample: _Optional[int] = ..., probability: _Optional[float] = ...) -> None: ...

class CaptureWarning(_message.Message):
    __slots__ = ["active", "problem"]
    class Problem(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_CLIPPING: CaptureWarning.Problem
    PROBLEM_EARLY: CaptureWarning.Problem
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_LATE: CaptureWarning.Problem
    PROBLEM_NOISY: CaptureWarning.Problem
    PROBLEM_NO_REFERENCE: CaptureWarning.Problem
    PROBLEM_NO_SIGNAL: CaptureWarning.Problem
    PROBLEM_OPPOSITE_CHANNELS: CaptureWarning.Problem
    PROBLEM_OTHER_VOICE: CaptureWarning.Problem
    PROBLEM_REFERENCE_GAPS: CaptureWarning.Problem
    PROBLEM_REFERENCE_HAS_MICROPHONE: CaptureWarning.Problem
    PROBLEM_RESIDUAL_ECHO: CaptureWarning.Problem
    PROBLEM_UNSPECIFIED: CaptureWarning.Problem
    PROBLEM_UNSTEADY_CLOCKS: CaptureWarning.Problem
    active: bool
    problem: CaptureWarning.Problem
    def __init__(self, problem: _Optional[_Union[CaptureWarning.Problem, str]] = ..., active: bool = ...) -> None: ...

class ConfigChanged(_message.Message):
    __slots__ = ["actor", "config"]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    actor: str
    config: _config_pb2.SessionConfig
    def __init__(self, config: _Optional[_Union[_config_pb2.SessionConfig, _Mapping]] = ..., actor: _Optional[str] = ...) -> None: ...

class Discontinuity(_message.Message):
    __slots__ = ["far_end_id", "input", "missing_samples", "reason"]
    FAR_END_ID_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    MISSING_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    far_end_id: str
    input: InputKind
    missing_samples: int
    reason: _audio_pb2.GapReason
    def __init__(self, input: _Optional[_Union[InputKind, str]] = ..., reason: _Optional[_Union[_audio_pb2.GapReason, str]] = ..., missing_samples: _Optional[int] = ..., far_end_id: _Optional[str] = ...) -> None: ...

class Draining(_message.Message):
    __slots__ = ["ends_in"]
    ENDS_IN_FIELD_NUMBER: _ClassVar[int]
    ends_in: _duration_pb2.Duration
    def __init__(self, ends_in: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class DuckingChanged(_message.Message):
    __slots__ = ["gain_db", "talking"]
    GAIN_DB_FIELD_NUMBER: _ClassVar[int]
    TALKING_FIELD_NUMBER: _ClassVar[int]
    gain_db: float
    talking: Side
    def __init__(self, gain_db: _Optional[float] = ..., talking: _Optional[_Union[Side, str]] = ...) -> None: ...

class EchoPathChanged(_message.Message):
    __slots__ = ["converged", "delay"]
    CONVERGED_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    converged: bool
    delay: _duration_pb2.Duration
    def __init__(self, delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., converged: bool = ...) -> None: ...

class InjectionAvailabilityChanged(_message.Message):
    __slots__ = ["available"]
    AVAILABLE_FIELD_NUMBER: _ClassVar[int]
    available: bool
    def __init__(self, available: bool = ...) -> None: ...

class InjectionPermissionChanged(_message.Message):
    __slots__ = ["client", "permission"]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    PERMISSION_FIELD_NUMBER: _ClassVar[int]
    client: str
    permission: InjectionPermission
    def __init__(self, client: _Optional[str] = ..., permission: _Optional[_Union[InjectionPermission, str]] = ...) -> None: ...

class InjectionPermissionRequested(_message.Message):
    __slots__ = ["client", "usage_description"]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    USAGE_DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    client: str
    usage_description: str
    def __init__(self, client: _Optional[str] = ..., usage_description: _Optional[str] = ...) -> None: ...

class InjectionProgress(_message.Message):
    __slots__ = ["injection_id", "state"]
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    INJECTION_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_CANCELLED: InjectionProgress.State
    STATE_FIELD_NUMBER: _ClassVar[int]
    STATE_FINISHED: InjectionProgress.State
    STATE_STARTED: InjectionProgress.State
    STATE_UNSPECIFIED: InjectionProgress.State
    injection_id: str
    state: InjectionProgress.State
    def __init__(self, injection_id: _Optional[str] = ..., state: _Optional[_Union[InjectionProgress.State, str]] = ...) -> None: ...

class Interruption(_message.Message):
    __slots__ = ["began", "reason", "should_resume"]
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    BEGAN_FIELD_NUMBER: _ClassVar[int]
    REASON_DEVICE_BUSY: Interruption.Reason
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_HARDWARE_MUTED: Interruption.Reason
    REASON_OTHER_SESSION: Interruption.Reason
    REASON_SUSPENDED: Interruption.Reason
    REASON_UNSPECIFIED: Interruption.Reason
    SHOULD_RESUME_FIELD_NUMBER: _ClassVar[int]
    began: bool
    reason: Interruption.Reason
    should_resume: bool
    def __init__(self, began: bool = ..., reason: _Optional[_Union[Interruption.Reason, str]] = ..., should_resume: bool = ...) -> None: ...

class MicModeChanged(_message.Message):
    __slots__ = ["active", "preferred", "reason"]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    PREFERRED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    active: _config_pb2.MicMode
    preferred: _config_pb2.MicMode
    reason: str
    def __init__(self, preferred: _Optional[_Union[_config_pb2.MicMode, str]] = ..., active: _Optional[_Union[_config_pb2.MicMode, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class MicrophonePair(_message.Message):
    __slots__ = ["pattern", "spacing_millimeters", "turned"]
    class PolarPattern(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    POLAR_PATTERN_CARDIOID: MicrophonePair.PolarPattern
    POLAR_PATTERN_STEREO: MicrophonePair.PolarPattern
    POLAR_PATTERN_UNSPECIFIED: MicrophonePair.PolarPattern
    SPACING_MILLIMETERS_FIELD_NUMBER: _ClassVar[int]
    TURNED_FIELD_NUMBER: _ClassVar[int]
    pattern: MicrophonePair.PolarPattern
    spacing_millimeters: float
    turned: bool
    def __init__(self, spacing_millimeters: _Optional[float] = ..., pattern: _Optional[_Union[MicrophonePair.PolarPattern, str]] = ..., turned: bool = ...) -> None: ...

class MuteChanged(_message.Message):
    __slots__ = ["muted_speech_was_active", "state"]
    MUTED_SPEECH_WAS_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    muted_speech_was_active: bool
    state: MuteState
    def __init__(self, state: _Optional[_Union[MuteState, _Mapping]] = ..., muted_speech_was_active: bool = ...) -> None: ...

class MuteGestureRequested(_message.Message):
    __slots__ = ["decide_within", "gesture_id", "proposed_muted"]
    DECIDE_WITHIN_FIELD_NUMBER: _ClassVar[int]
    GESTURE_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_MUTED_FIELD_NUMBER: _ClassVar[int]
    decide_within: _duration_pb2.Duration
    gesture_id: str
    proposed_muted: bool
    def __init__(self, gesture_id: _Optional[str] = ..., proposed_muted: bool = ..., decide_within: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class MuteGestureResolved(_message.Message):
    __slots__ = ["gesture_id", "outcome", "state"]
    GESTURE_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    gesture_id: str
    outcome: MuteGestureOutcome
    state: MuteState
    def __init__(self, gesture_id: _Optional[str] = ..., outcome: _Optional[_Union[MuteGestureOutcome, str]] = ..., state: _Optional[_Union[MuteState, _Mapping]] = ...) -> None: ...

class MuteState(_message.Message):
    __slots__ = ["actor", "generation", "muted", "source"]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    MUTED_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    actor: str
    generation: int
    muted: bool
    source: MuteSource
    def __init__(self, muted: bool = ..., generation: _Optional[int] = ..., actor: _Optional[str] = ..., source: _Optional[_Union[MuteSource, str]] = ...) -> None: ...

class MutedSpeechActivity(_message.Message):
    __slots__ = ["activity"]
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    activity: SpeechActivity
    def __init__(self, activity: _Optional[_Union[SpeechActivity, str]] = ...) -> None: ...

class NotSpeech(_message.Message):
    __slots__ = ["began_at_sample", "probability"]
    BEGAN_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    began_at_sample: int
    probability: float
    def __init__(self, began_at_sample: _Optional[int] = ..., probability: _Optional[float] = ...) -> None: ...

class OutputDropped(_message.Message):
    __slots__ = ["samples"]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    samples: int
    def __init__(self, samples: _Optional[int] = ...) -> None: ...

class PlaybackClientChanged(_message.Message):
    __slots__ = ["client", "joined"]
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    JOINED_FIELD_NUMBER: _ClassVar[int]
    client: str
    joined: bool
    def __init__(self, joined: bool = ..., client: _Optional[str] = ...) -> None: ...

class RouteChanged(_message.Message):
    __slots__ = ["current", "previous", "reason"]
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CURRENT_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    REASON_AUTOMATIC_SWITCH: RouteChanged.Reason
    REASON_CONFIGURATION_CHANGE: RouteChanged.Reason
    REASON_DEVICE_LOST: RouteChanged.Reason
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_NEW_DEVICE: RouteChanged.Reason
    REASON_NO_SUITABLE_ROUTE: RouteChanged.Reason
    REASON_OVERRIDE: RouteChanged.Reason
    REASON_UNSPECIFIED: RouteChanged.Reason
    current: AudioRoute
    previous: AudioRoute
    reason: RouteChanged.Reason
    def __init__(self, reason: _Optional[_Union[RouteChanged.Reason, str]] = ..., previous: _Optional[_Union[AudioRoute, _Mapping]] = ..., current: _Optional[_Union[AudioRoute, _Mapping]] = ...) -> None: ...

class SessionEnded(_message.Message):
    __slots__ = ["reason"]
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    REASON_CLIENT_CLOSED: SessionEnded.Reason
    REASON_CLIENT_LOST: SessionEnded.Reason
    REASON_DELETED: SessionEnded.Reason
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_IDLE: SessionEnded.Reason
    REASON_MAX_DURATION: SessionEnded.Reason
    REASON_SERVER_SHUTDOWN: SessionEnded.Reason
    REASON_SLOW_CONSUMER: SessionEnded.Reason
    REASON_UNSPECIFIED: SessionEnded.Reason
    reason: SessionEnded.Reason
    def __init__(self, reason: _Optional[_Union[SessionEnded.Reason, str]] = ...) -> None: ...

class SessionEvent(_message.Message):
    __slots__ = ["backchannel", "capture_warning", "config_changed", "discontinuity", "draining", "ducking_changed", "echo_path_changed", "event_id", "injection_availability_changed", "injection_permission_changed", "injection_permission_requested", "injection_progress", "interruption", "mic_mode_changed", "microphone_sample", "mute_changed", "mute_gesture_requested", "mute_gesture_resolved", "muted_speech_activity", "not_speech", "output_dropped", "playback_client_changed", "route_changed", "session_ended", "session_resumed", "session_suspended", "time", "turn_continued", "turn_ended", "turn_interruption", "turn_may_end", "turn_started", "voice_activity_changed", "voice_enrollment_changed"]
    BACKCHANNEL_FIELD_NUMBER: _ClassVar[int]
    CAPTURE_WARNING_FIELD_NUMBER: _ClassVar[int]
    CONFIG_CHANGED_FIELD_NUMBER: _ClassVar[int]
    DISCONTINUITY_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    DUCKING_CHANGED_FIELD_NUMBER: _ClassVar[int]
    ECHO_PATH_CHANGED_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    INJECTION_AVAILABILITY_CHANGED_FIELD_NUMBER: _ClassVar[int]
    INJECTION_PERMISSION_CHANGED_FIELD_NUMBER: _ClassVar[int]
    INJECTION_PERMISSION_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    INJECTION_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    INTERRUPTION_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    MIC_MODE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    MUTED_SPEECH_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    MUTE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    MUTE_GESTURE_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    MUTE_GESTURE_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    NOT_SPEECH_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_DROPPED_FIELD_NUMBER: _ClassVar[int]
    PLAYBACK_CLIENT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    ROUTE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    SESSION_ENDED_FIELD_NUMBER: _ClassVar[int]
    SESSION_RESUMED_FIELD_NUMBER: _ClassVar[int]
    SESSION_SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    TURN_CONTINUED_FIELD_NUMBER: _ClassVar[int]
    TURN_ENDED_FIELD_NUMBER: _ClassVar[int]
    TURN_INTERRUPTION_FIELD_NUMBER: _ClassVar[int]
    TURN_MAY_END_FIELD_NUMBER: _ClassVar[int]
    TURN_STARTED_FIELD_NUMBER: _ClassVar[int]
    VOICE_ACTIVITY_CHANGED_FIELD_NUMBER: _ClassVar[int]
    VOICE_ENROLLMENT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    backchannel: Backchannel
    capture_warning: CaptureWarning
    config_changed: ConfigChanged
    discontinuity: Discontinuity
    draining: Draining
    ducking_changed: DuckingChanged
    echo_path_changed: EchoPathChanged
    event_id: int
    injection_availability_changed: InjectionAvailabilityChanged
    injection_permission_changed: InjectionPermissionChanged
    injection_permission_requested: InjectionPermissionRequested
    injection_progress: InjectionProgress
    interruption: Interruption
    mic_mode_changed: MicModeChanged
    microphone_sample: int
    mute_changed: MuteChanged
    mute_gesture_requested: MuteGestureRequested
    mute_gesture_resolved: MuteGestureResolved
    muted_speech_activity: MutedSpeechActivity
    not_speech: NotSpeech
    output_dropped: OutputDropped
    playback_client_changed: PlaybackClientChanged
    route_changed: RouteChanged
    session_ended: SessionEnded
    session_resumed: SessionResumed
    session_suspended: SessionSuspended
    time: _timestamp_pb2.Timestamp
    turn_continued: TurnContinued
    turn_ended: TurnEnded
    turn_interruption: TurnInterruption
    turn_may_end: TurnMayEnd
    turn_started: TurnStarted
    voice_activity_changed: VoiceActivityChanged
    voice_enrollment_changed: VoiceEnrollmentChanged
    def __init__(self, event_id: _Optional[int] = ..., time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., microphone_sample: _Optional[int] = ..., muted_speech_activity: _Optional[_Union[MutedSpeechActivity, _Mapping]] = ..., voice_activity_changed: _Optional[_Union[VoiceActivityChanged, _Mapping]] = ..., mute_changed: _Optional[_Union[MuteChanged, _Mapping]] = ..., mute_gesture_requested: _Optional[_Union[MuteGestureRequested, _Mapping]] = ..., mute_gesture_resolved: _Optional[_Union[MuteGestureResolved, _Mapping]] = ..., mic_mode_changed: _Optional[_Union[MicModeChanged, _Mapping]] = ..., ducking_changed: _Optional[_Union[DuckingChanged, _Mapping]] = ..., injection_availability_changed: _Optional[_Union[InjectionAvailabilityChanged, _Mapping]] = ..., injection_permission_requested: _Optional[_Union[InjectionPermissionRequested, _Mapping]] = ..., injection_permission_changed: _Optional[_Union[InjectionPermissionChanged, _Mapping]] = ..., injection_progress: _Optional[_Union[InjectionProgress, _Mapping]] = ..., route_changed: _Optional[_Union[RouteChanged, _Mapping]] = ..., interruption: _Optional[_Union[Interruption, _Mapping]] = ..., discontinuity: _Optional[_Union[Discontinuity, _Mapping]] = ..., echo_path_changed: _Optional[_Union[EchoPathChanged, _Mapping]] = ..., config_changed: _Optional[_Union[ConfigChanged, _Mapping]] = ..., capture_warning: _Optional[_Union[CaptureWarning, _Mapping]] = ..., draining: _Optional[_Union[Draining, _Mapping]] = ..., session_ended: _Optional[_Union[SessionEnded, _Mapping]] = ..., output_dropped: _Optional[_Union[OutputDropped, _Mapping]] = ..., session_suspended: _Optional[_Union[SessionSuspended, _Mapping]] = ..., session_resumed: _Optional[_Union[SessionResumed, _Mapping]] = ..., playback_client_changed: _Optional[_Union[PlaybackClientChanged, _Mapping]] = ..., turn_started: _Optional[_Union[TurnStarted, _Mapping]] = ..., turn_may_end: _Optional[_Union[TurnMayEnd, _Mapping]] = ..., turn_continued: _Optional[_Union[TurnContinued, _Mapping]] = ..., turn_ended: _Optional[_Union[TurnEnded, _Mapping]] = ..., turn_interruption: _Optional[_Union[TurnInterruption, _Mapping]] = ..., backchannel: _Optional[_Union[Backchannel, _Mapping]] = ..., not_speech: _Optional[_Union[NotSpeech, _Mapping]] = ..., voice_enrollment_changed: _Optional[_Union[VoiceEnrollmentChanged, _Mapping]] = ...) -> None: ...

class SessionResumed(_message.Message):
    __slots__ = ["concealed_samples"]
    CONCEALED_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    concealed_samples: int
    def __init__(self, concealed_samples: _Optional[int] = ...) -> None: ...

class SessionSuspended(_message.Message):
    __slots__ = ["resume_window"]
    RESUME_WINDOW_FIELD_NUMBER: _ClassVar[int]
    resume_window: _duration_pb2.Duration
    def __init__(self, resume_window: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class TurnContinued(_message.Message):
    __slots__ = ["began_at_sample"]
    BEGAN_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    began_at_sample: int
    def __init__(self, began_at_sample: _Optional[int] = ...) -> None: ...

class TurnEnded(_message.Message):
    __slots__ = ["probability", "silent_from_sample"]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    SILENT_FROM_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    probability: float
    silent_from_sample: int
    def __init__(self, silent_from_sample: _Optional[int] = ..., probability: _Optional[float] = ...) -> None: ...

class TurnInterruption(_message.Message):
    __slots__ = ["began_at_sample", "probability"]
    BEGAN_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    began_at_sample: int
    probability: float
    def __init__(self, began_at_sample: _Optional[int] = ..., probability: _Optional[float] = ...) -> None: ...

class TurnMayEnd(_message.Message):
    __slots__ = ["probability", "silent_from_sample"]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    SILENT_FROM_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    probability: float
    silent_from_sample: int
    def __init__(self, silent_from_sample: _Optional[int] = ..., probability: _Optional[float] = ...) -> None: ...

class TurnStarted(_message.Message):
    __slots__ = ["began_at_sample", "probability"]
    BEGAN_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    began_at_sample: int
    probability: float
    def __init__(self, began_at_sample: _Optional[int] = ..., probability: _Optional[float] = ...) -> None: ...

class VoiceActivityChanged(_message.Message):
    __slots__ = ["active", "began_at_sample", "side"]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    BEGAN_AT_SAMPLE_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    active: bool
    began_at_sample: int
    side: Side
    def __init__(self, side: _Optional[_Union[Side, str]] = ..., active: bool = ..., began_at_sample: _Optional[int] = ...) -> None: ...

class VoiceEnrollmentChanged(_message.Message):
    __slots__ = ["failure", "state"]
    class Failure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_SEVERAL_VOICES: VoiceEnrollmentChanged.Failure
    FAILURE_TOO_LITTLE_VOICE: VoiceEnrollmentChanged.Failure
    FAILURE_UNSPECIFIED: VoiceEnrollmentChanged.Failure
    STATE_FIELD_NUMBER: _ClassVar[int]
    failure: VoiceEnrollmentChanged.Failure
    state: VoiceEnrollment
    def __init__(self, state: _Optional[_Union[VoiceEnrollment, str]] = ..., failure: _Optional[_Union[VoiceEnrollmentChanged.Failure, str]] = ...) -> None: ...

class SpeechActivity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Side(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class VoiceEnrollment(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MuteSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MuteGestureOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class InjectionPermission(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class InputKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
