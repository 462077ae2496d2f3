"""The enumerations of anechoic.v1. Members have the numbers of the protocol."""

from enum import Enum


class MicMode(Enum):
    """A preset for all stages of microphone processing."""

    UNSPECIFIED = 0
    STANDARD = 1
    VOICE_ISOLATION = 2
    WIDE_SPECTRUM = 3


class Side(Enum):
    """A side of the call. The near end is the microphone."""

    UNSPECIFIED = 0
    NEAR_END = 1
    FAR_END = 2


class SpeechActivity(Enum):
    """Whether somebody started or stopped to talk."""

    UNSPECIFIED = 0
    STARTED = 1
    ENDED = 2


class MuteSource(Enum):
    """The way in which the mute state was changed."""

    UNSPECIFIED = 0
    MEDIA_CLIENT = 1
    CONTROL_CLIENT = 2
    GESTURE = 3


class GestureOutcome(Enum):
    """The decision about a mute gesture."""

    UNSPECIFIED = 0
    APPLIED = 1
    REJECTED = 2
    TIMED_OUT = 3
    IGNORED = 4


class InjectionPermission(Enum):
    """Whether a client may inject speech into a session."""

    UNSPECIFIED = 0
    SERVICE_DISABLED = 1
    UNDETERMINED = 2
    DENIED = 3
    GRANTED = 4


class InjectionState(Enum):
    """The progress of injected speech."""

    UNSPECIFIED = 0
    STARTED = 1
    FINISHED = 2
    CANCELLED = 3


class RouteChangeReason(Enum):
    """The reason why another microphone or loudspeaker is in use."""

    UNSPECIFIED = 0
    NEW_DEVICE = 1
    DEVICE_LOST = 2
    OVERRIDE = 3
    AUTOMATIC_SWITCH = 4
    NO_SUITABLE_ROUTE = 5


class PortType(Enum):
    """The kind of a microphone or loudspeaker."""

    UNSPECIFIED = 0
    BUILT_IN = 1
    USB = 2
    BLUETOOTH = 3
    HDMI = 4
    LINE = 5
    VIRTUAL = 6


class InterruptionReason(Enum):
    """The reason why the microphone does not run."""

    UNSPECIFIED = 0
    DEVICE_BUSY = 1
    HARDWARE_MUTED = 2
    SUSPENDED = 3
    OTHER_SESSION = 4


class InputKind(Enum):
    """An input of a session."""

    UNSPECIFIED = 0
    MICROPHONE = 1
    REFERENCE = 2
    FAR_END = 3
    OTHER_AUDIO = 4


class GapReason(Enum):
    """The reason for a gap in an input."""

    UNSPECIFIED = 0
    XRUN = 1
    DROPPED = 2
    MUTED = 3
    DEVICE_LOST = 4
    CONNECTION_LOST = 5


class CaptureProblem(Enum):
    """A problem with the audio that a person can correct."""

    UNSPECIFIED = 0
    NO_SIGNAL = 1
    NOISY = 2
    CLIPPING = 3
    NO_REFERENCE = 4
    RESIDUAL_ECHO = 5
    UNSTEADY_CLOCKS = 6
    LATE = 7
    OPPOSITE_CHANNELS = 8
    REFERENCE_HAS_MICROPHONE = 9
    REFERENCE_GAPS = 10
    EARLY = 11


class EndReason(Enum):
    """The reason why a session ended."""

    UNSPECIFIED = 0
    CLIENT_CLOSED = 1
    DELETED = 2
    CLIENT_LOST = 3
    IDLE = 4
    MAX_DURATION = 5
    SLOW_CONSUMER = 6
    SERVER_SHUTDOWN = 7


class EchoReference(Enum):
    """The source of the echo canceller's reference."""

    UNSPECIFIED = 0
    NONE = 1
    CLIENT = 2
    PLAYBACK = 3


class SessionState(Enum):
    """Whether the media client of a session is connected."""

    UNSPECIFIED = 0
    RUNNING = 1
    SUSPENDED = 2
