"""Judges the first answer of a server: nothing in it may be beyond what this client has asked for."""

from __future__ import annotations

import re

from google.protobuf import duration_pb2

from .v1 import audio_pb2, voice_processing_pb2 as api

_NAME = re.compile(r"sessions/[A-Za-z0-9._-]{1,63}")
_LARGEST_TOKEN = 1024
LARGEST_MESSAGE = 64 << 10
"""The most bytes of settings, of an event and of statistics."""
LONGEST_DELAY = 1.0
"""The most seconds from the microphone to the processed output."""
LONGEST_WINDOW = 300.0
"""The most seconds for which a session is believed to wait for its client."""


def problem_of(started: api.Started, start: api.Start) -> str:
    """Returns why an answer makes no sense, or an empty text."""
    if _NAME.fullmatch(started.session) is None:
        return f"{started.session[:80]!r} is not the name of a session"
    if max(len(started.resume_token), len(started.join_token)) > _LARGEST_TOKEN:
        return f"a token has more than {_LARGEST_TOKEN} bytes"
    if started.config.ByteSize() > LARGEST_MESSAGE:
        return f"the settings have more than {LARGEST_MESSAGE} bytes"
    for delay in (started.algorithmic_delay, started.recognizer_delay, started.raw_delay):
        if not 0 <= _exact(delay) <= LONGEST_DELAY:
            return f"a delay of {_exact(delay):g} s is not possible"
    if started.HasField("resumed") != bool(start.resume_token):
        return "it says that a session goes on" if not start.resume_token else "it does not say how the session goes on"
    for name in ("processed", "playback", "recognizer", "raw"):
        wanted, given = getattr(start.outputs, name), getattr(started.outputs, name)
        if started.outputs.HasField(name) and _differ(wanted, given):
            return f"the format of the output {name} is not the one that was asked for"
    return ""


def _exact(message: duration_pb2.Duration) -> float:
    return float(message.seconds + message.nanos / 1e9)


def _differ(wanted: audio_pb2.AudioFormat, given: audio_pb2.AudioFormat) -> bool:
    fields = ("encoding", "sample_rate_hz", "channel_count")
    return any(getattr(wanted, name) != getattr(given, name) for name in fields)
