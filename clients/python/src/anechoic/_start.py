"""The request that opens a session."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping

from google.protobuf import duration_pb2
from google.protobuf.message import DecodeError, Message

from ._checks import check_bytes, check_flag, check_interval, check_mapping, check_number, check_text, is_whole
from ._opus import CHUNKS
from .enums import PolarPattern
from .errors import AnechoicError, FormatError, InvalidRequest
from .events import MicrophonePair
from .formats import Format
from .settings import Settings, config_of
from .spatial import far_end_of
from .v1 import events_pb2, voice_processing_pb2 as api

_MOST_LABELS = 64


def duration(seconds: float) -> duration_pb2.Duration:
    """Returns seconds as a message."""
    nanos = round(seconds * 1e9)
    return duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)


def seconds(message: duration_pb2.Duration) -> float:
    """Returns a duration in seconds."""
    return float(message.seconds + message.nanos / 1e9)


@contextmanager
def field_named(name: str) -> Iterator[None]:
    """Makes a value that does not fit into a message an `InvalidRequest`, which names the field."""
    try:
        yield
    except AnechoicError:
        raise
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidRequest(f"{name}: the value is not valid: {error}", field=name) from error


@dataclass
class Plan:
    """The values with which a session starts."""

    inputs: Mapping[str, Format]
    processed: Format
    playback: Format | None = None
    recognizer: Format | None = None
    raw: Format | None = None
    is_playback_elsewhere: bool = False
    is_real_time: bool = True
    settings: Settings = field(default_factory=dict)
    session_id: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    chunk: float = 0.02
    statistics_interval: float = 1.0
    resume_window: float | None = None
    has_intermittent_reference: bool = False
    microphone_pair: MicrophonePair | None = None
    echo_path: bytes = b""
    learns_echo_path: bool = False
    voiceprint: bytes = b""
    enrolls_voice: bool = False

    @property
    def other_outputs(self) -> dict[str, Format]:
        """The outputs beside the processed one, by their names."""
        outputs = {"playback": self.playback, "recognizer": self.recognizer, "raw": self.raw}
        return {name: format for name, format in outputs.items() if format is not None}

    @property
    def has_opus(self) -> bool:
        """Whether any input or output is Opus."""
        outputs = (self.processed, *self.other_outputs.values())
        return any(format.is_opus for format in (*self.inputs.values(), *outputs))

    def check(self) -> None:
        """Throws `InvalidRequest` for a value that no server accepts."""
        for name, format in self.inputs.items():
            checked_format(format, name)
        checked_format(self.processed, "processed")
        for name, format in self.other_outputs.items():
            checked_format(format, name)
        check_number("chunk", self.chunk, 0.01, 0.12, " s")
        check_interval("statistics_interval", self.statistics_interval)
        if self.resume_window is not None:
            check_number("resume_window", self.resume_window, 0, 86400, " s, or None")
        flags = {
            "playback_elsewhere": self.is_playback_elsewhere, "real_time": self.is_real_time,
            "intermittent_reference": self.has_intermittent_reference, "learn_echo_path": self.learns_echo_path,
            "enroll_voice": self.enrolls_voice,
        }
        for name, value in flags.items():
            check_flag(name, value)
        check_text("engine", self.engine)
        check_text("session_id", self.session_id)
        if self.session_id and re.fullmatch(r"[A-Za-z0-9._-]{1,63}", self.session_id) is None:
            message = f"session_id: {self.session_id!r} is not supported; use up to 63 of a-z A-Z 0-9 - _ and ."
            raise InvalidRequest(message, field="session_id")
        _check_labels(check_mapping("labels", self.labels))
        check_mapping("settings", self.settings)
        if self.microphone_pair is not None:
            pair_message(self.microphone_pair)
        echo_path_message(self.echo_path)
        voiceprint_message(self.voiceprint)
        if self.is_playback_elsewhere and (self.playback is None or "reference" in self.inputs):
            message = "playback_elsewhere: needs a playback, and no reference"
            raise InvalidRequest(message, field="playback_elsewhere")
        for name in self.inputs:
            if self.playback is None and (name == "other_audio" or far_end_of(name) is not None):
                raise InvalidRequest(f"{name}: needs a playback; announce one: playback=Format(48000)", field=name)
        if self.has_opus and self.chunk not in CHUNKS:
            message = f"chunk: {self.chunk} is not supported with Opus; use 0.01, 0.02, 0.04 or 0.06 s"
            raise InvalidRequest(message, field="chunk")

    def request(self) -> api.Start:
        """Returns the start of a new session. Throws `InvalidRequest` for a wrong setting."""
        self.check()
        start = api.Start(
            config=config_of(self.settings),
            pacing=api.PACING_REAL_TIME if self.is_real_time else api.PACING_MEDIA_CLOCK,
        )
        start.session_id, start.engine = self.session_id, self.engine
        start.labels.update(self.labels)
        for name, format in self.inputs.items():
            announced = format._message()
            if (far_end := far_end_of(name)) is None:
                getattr(start.inputs, name).CopyFrom(announced)
            else:
                start.inputs.far_ends.add(far_end_id=far_end, format=announced)
        if self.microphone_pair is not None:
            start.inputs.microphone_pair.CopyFrom(pair_message(self.microphone_pair))
        start.outputs.processed.CopyFrom(self.processed._message(is_output=True))
        for name, format in self.other_outputs.items():
            getattr(start.outputs, name).CopyFrom(format._message(is_output=True))
        start.outputs.playback_elsewhere = bool(self.is_playback_elsewhere)
        start.outputs.chunk_duration.CopyFrom(duration(max(1, round(self.chunk * 100)) / 100))
        if self.statistics_interval:
            start.stats_interval.CopyFrom(duration(self.statistics_interval))
        if self.echo_path:
            start.echo_path_hint.CopyFrom(echo_path_message(self.echo_path))
        start.echo_path_wanted = bool(self.learns_echo_path)
        if self.voiceprint:
            start.voiceprint.CopyFrom(voiceprint_message(self.voiceprint))
        start.enroll_voice = bool(self.enrolls_voice)
        if self.resume_window is not None:
            start.resume_window.CopyFrom(duration(self.resume_window))
        return start


def pair_message(pair: MicrophonePair) -> events_pb2.MicrophonePair:
    """Returns two microphones as a message."""
    if not isinstance(pair, MicrophonePair):
        message = f"microphone_pair: {pair!r} is not a pair; use MicrophonePair(20, PolarPattern.CARDIOID)"
        raise InvalidRequest(message, field="microphone_pair")
    with field_named("microphone_pair"):
        return events_pb2.MicrophonePair(
            spacing_millimeters=pair.spacing_millimeters,
            pattern=PolarPattern(pair.pattern).value,  # type: ignore[arg-type]
            turned=pair.turned,
        )


def echo_path_message(data: bytes) -> api.EchoPath:
    """Returns an echo path as a message."""
    message = _learnt(api.EchoPath, data, "echo_path")
    assert isinstance(message, api.EchoPath)
    return message


def voiceprint_message(data: bytes) -> api.Voiceprint:
    """Returns a voiceprint as a message."""
    message = _learnt(api.Voiceprint, data, "voiceprint")
    assert isinstance(message, api.Voiceprint)
    return message


def _learnt(kind: type[Message], data: bytes, name: str) -> Message:
    """Returns what an earlier session has learnt as a message."""
    words = f"use Session.{name} of an earlier session"
    check_bytes(name, data, words)
    try:
        return kind.FromString(bytes(data))
    except DecodeError as error:
        raise InvalidRequest(f"{name}: this is no {name.replace('_', ' ')}; {words}", field=name) from error


def _check_labels(labels: Mapping[Any, Any]) -> None:
    if len(labels) > _MOST_LABELS:
        raise InvalidRequest(f"labels: {len(labels)} are too many; use up to {_MOST_LABELS}", field="labels")
    for key, value in labels.items():
        is_text = all(isinstance(each, str) and is_whole(each) for each in (key, value))
        if not is_text or not 1 <= len(key.encode()) <= 63 or len(value.encode()) > 255:
            message = f"labels: {key!r}: {value!r} is not supported; use texts of 1 to 63 and 0 to 255 bytes"
            raise InvalidRequest(message, field="labels")


def checked_format(format: object, name: str) -> Format:
    """Returns a format. Throws `FormatError` for anything else."""
    if not isinstance(format, Format):
        raise FormatError(f"{name}: {format!r} is not a format; use Format(16000)", field=name)
    return format
