"""Removes echo and noise from live audio, with a server of Anechoic.

    async with anechoic.Session("127.0.0.1:50051", microphone=anechoic.Format(16000)) as session:
        await session.feed(samples)
        voice = await session.read()

`Session` streams audio, `Sessions` controls the sessions of a server from a second connection,
`process_file` processes recordings, and `anechoic.blocking` is for scripts without an event loop.
"""

import os as _os
import sys as _sys

if _sys.argv[:1] == ["-m"] and "anechoic" in _sys.orig_argv:
    # The command `python -m anechoic` reports a failure in one line. libgrpc reads this when it is imported.
    _os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from . import blocking, enums, errors, events
from ._local import local_server
from ._output import Frame, Output
from ._reconnection import Reconnect
from ._version import __version__
from .connection import Connection
from .edge import CallState, EdgeAgent, InjectionRequest, KeptVoice
from .errors import (
    AlreadyExists, AnechoicError, ConnectionLost, FormatError, IncompatibleServer, InvalidRequest, NotFound,
    Overloaded, PermissionDenied, Refused, ServerUnavailable, SessionEnded, Unauthenticated,
)
from .events import (
    Backchannel, CaptureWarning, Event, InjectionPermissionRequested, MicrophonePair, MuteChanged,
    MuteGestureRequested, MutedSpeechActivity, NotSpeech, Reconnecting, Restarted, Resumed, SessionFinished,
    TurnContinued, TurnEnded, TurnInterruption, TurnMayEnd, TurnStarted, VoiceActivityChanged,
    VoiceEnrollmentChanged,
)
from .files import process, process_file
from .formats import Audio, Format
from .live import LiveFilter
from .playback import Playback
from .recording import Recording, WavReader, WavWriter
from .session import Session
from .sessions import InjectionStatus, SessionInfo, Sessions
from .spatial import Source
from .statistics import Statistics

__all__ = [
    "AlreadyExists", "AnechoicError", "Audio", "Backchannel", "CallState", "CaptureWarning", "Connection",
    "ConnectionLost", "EdgeAgent", "Event", "Format", "FormatError", "Frame", "IncompatibleServer",
    "InjectionPermissionRequested", "InjectionRequest", "InjectionStatus", "InvalidRequest", "KeptVoice", "LiveFilter",
    "MicrophonePair", "MuteChanged", "MuteGestureRequested", "MutedSpeechActivity", "NotFound", "NotSpeech",
    "Output", "Overloaded", "PermissionDenied", "Playback", "Reconnect", "Reconnecting", "Recording", "Refused",
    "Restarted", "Resumed", "ServerUnavailable", "Session", "SessionEnded", "SessionFinished", "SessionInfo",
    "Sessions", "Source", "Statistics", "TurnContinued", "TurnEnded", "TurnInterruption", "TurnMayEnd",
    "TurnStarted", "Unauthenticated", "VoiceActivityChanged", "VoiceEnrollmentChanged", "WavReader", "WavWriter",
    "__version__", "blocking", "enums", "errors", "events", "local_server", "process", "process_file",
]
