"""The events of a session. `session.events()` yields them in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from ._convert import from_message
from .enums import (
    CaptureProblem, EndReason, GapReason, GestureOutcome, InjectionPermission, InjectionState, InputKind,
    InterruptionReason, MicMode, MuteSource, PortType, RouteChangeReason, Side, SpeechActivity,
)


@dataclass(frozen=True)
class Event:
    """Something that happened in a session."""

    id: int = field(kw_only=True, default=0)
    """1, 2, 3 and so on. 0 for events that this package adds, such as `Reconnecting`."""
    sample: int = field(kw_only=True, default=0)
    """The index of the microphone's sample at which it happened."""


@dataclass(frozen=True)
class UnknownEvent(Event):
    """An event of a newer server."""

    message: Any


@dataclass(frozen=True)
class VoiceActivityChanged(Event):
    """One side started or stopped to talk. Needs the setting `voice_activity_detection.enabled`."""

    side: Side
    active: bool
    began_at_sample: int
    """The sample at which the speech or the silence began, which is before the event."""


@dataclass(frozen=True)
class MutedSpeechActivity(Event):
    """Somebody started or stopped to talk while muted."""

    activity: SpeechActivity


@dataclass(frozen=True)
class MuteState:
    """Whether the session is muted, since which change, and by whom."""

    muted: bool
    generation: int
    actor: str
    source: MuteSource


@dataclass(frozen=True)
class MuteChanged(Event):
    """The session was muted or unmuted."""

    state: MuteState
    muted_speech_was_active: bool


@dataclass(frozen=True)
class MuteGestureRequested(Event):
    """A button was pressed, and the media client decides."""

    gesture_id: str
    proposed_muted: bool
    decide_within: timedelta


@dataclass(frozen=True)
class MuteGestureResolved(Event):
    """A gesture was applied, was rejected or timed out."""

    gesture_id: str
    outcome: GestureOutcome
    state: MuteState


@dataclass(frozen=True)
class MicModeChanged(Event):
    """The mic mode changed. `reason` is empty, UNSUPPORTED_FORMAT or OVERLOAD."""

    preferred: MicMode
    active: MicMode
    reason: str


@dataclass(frozen=True)
class DuckingChanged(Event):
    """The gain of other audio changes to `gain_db`."""

    gain_db: float
    talking: Side


@dataclass(frozen=True)
class InjectionAvailabilityChanged(Event):
    """Injected speech is accepted from now on, or no longer."""

    available: bool


@dataclass(frozen=True)
class InjectionPermissionRequested(Event):
    """A client asks for permission to inject speech."""

    client: str
    usage_description: str


@dataclass(frozen=True)
class InjectionPermissionChanged(Event):
    """The permission of a client changed."""

    client: str
    permission: InjectionPermission


@dataclass(frozen=True)
class InjectionProgress(Event):
    """Injected speech started, finished or was cancelled."""

    injection_id: str
    state: InjectionState


@dataclass(frozen=True)
class AudioPort:
    """A microphone or loudspeaker."""

    port_id: str
    """An id that survives replugging."""
    display_name: str = ""
    type: PortType = PortType.UNSPECIFIED
    headphones: bool = False
    """Whether no sound comes from the output to the input through the air."""


@dataclass(frozen=True)
class AudioRoute:
    """The microphone and the loudspeaker in use."""

    input: AudioPort | None = None
    output: AudioPort | None = None


@dataclass(frozen=True)
class RouteChanged(Event):
    """Another microphone or loudspeaker is in use."""

    reason: RouteChangeReason
    previous: AudioRoute | None
    current: AudioRoute | None


@dataclass(frozen=True)
class Interruption(Event):
    """An interruption of the microphone began or ended."""

    began: bool
    reason: InterruptionReason
    should_resume: bool


@dataclass(frozen=True)
class Discontinuity(Event):
    """Samples of an input were missing."""

    input: InputKind
    reason: GapReason
    missing_samples: int
    far_end_id: str


@dataclass(frozen=True)
class EchoPathChanged(Event):
    """The echo was found at another delay, or is now removed at that delay."""

    delay: timedelta
    converged: bool


@dataclass(frozen=True)
class ConfigChanged(Event):
    """The settings changed. `config` is a `SessionConfig` of anechoic.v1."""

    config: Any
    actor: str


@dataclass(frozen=True)
class CaptureWarning(Event):
    """A problem with the audio began or ended."""

    problem: CaptureProblem
    active: bool


@dataclass(frozen=True)
class OutputDropped(Event):
    """The server dropped output because this client read too slowly."""

    samples: int


@dataclass(frozen=True)
class SessionSuspended(Event):
    """The connection was lost, and the session waited for its client."""

    resume_window: timedelta


@dataclass(frozen=True)
class SessionResumed(Event):
    """The session goes on."""

    concealed_samples: int


@dataclass(frozen=True)
class PlaybackClientChanged(Event):
    """Another device began or ceased to play the playback."""

    joined: bool
    client: str


@dataclass(frozen=True)
class Draining(Event):
    """The server is about to stop."""

    ends_in: timedelta


@dataclass(frozen=True)
class SessionFinished(Event):
    """The session has ended. This is its last event."""

    reason: EndReason


@dataclass(frozen=True)
class Reconnecting(Event):
    """The connection was lost. The session tries to resume."""

    error: Exception


@dataclass(frozen=True)
class Resumed(Event):
    """The connection is back, and the session goes on with `sample`."""

    concealed_samples: int
    """The samples of the microphone that were not kept, and are concealed."""
    lost_events: int
    """The events that came meanwhile and are not kept."""


@dataclass(frozen=True)
class Restarted(Event):
    """The old session is gone. A new one continues with `sample`, and has to find the echo again."""

    error: Exception
    lost_samples: int = 0
    """The samples of the microphone before `sample` that no session has processed. 0 for a recording."""


def event_from(message: Any, base: int = 0) -> Event:
    """Returns the event of a `SessionEvent`, whose session began at the sample `base`."""
    name = message.WhichOneof("event")
    known = {"id": message.event_id, "sample": base + message.microphone_sample}
    kind = _KINDS.get(name)
    if kind is None:
        return UnknownEvent(message, **known)
    event = getattr(message, name)
    if kind is ConfigChanged:
        known["config"] = event.config
    if kind is VoiceActivityChanged:
        known["began_at_sample"] = base + event.began_at_sample
    return from_message(kind, event, **known)


def _snake(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)[1:]


_KINDS = {_snake(kind.__name__): kind for kind in Event.__subclasses__()}
_KINDS["session_ended"] = _KINDS.pop("session_finished")
