"""The request that opens a session."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Iterator, Mapping

from google.protobuf import duration_pb2

from ._opus import CHUNKS
from .errors import AnechoicError, FormatError, InvalidRequest
from .formats import Format
from .settings import Settings, config_of
from .spatial import far_end_of
from .v1 import voice_processing_pb2 as api


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
    """All that a session is started with."""

    inputs: Mapping[str, Format]
    processed: Format
    playback: Format | None = None
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

    @property
    def has_opus(self) -> bool:
        """Whether any input or output is Opus."""
        outputs = [self.processed, *([self.playback] if self.playback is not None else [])]
        return any(format.is_opus for format in (*self.inputs.values(), *outputs))

    def request(self) -> api.Start:
        """Returns the start of a new session. Throws `InvalidRequest` for a wrong setting."""
        with field_named("chunk"):
            if not 0.01 <= self.chunk <= 0.12:
                raise InvalidRequest(f"chunk: {self.chunk} is not supported; use 0.01 to 0.12 s", field="chunk")
        start = api.Start(
            config=config_of(self.settings),
            pacing=api.PACING_REAL_TIME if self.is_real_time else api.PACING_MEDIA_CLOCK,
        )
        for name in ("session_id", "engine"):
            with field_named(name):
                setattr(start, name, getattr(self, name))
        with field_named("labels"):
            start.labels.update(self.labels)
        for name, format in self.inputs.items():
            announced = _checked(format, name)._message()
            if (far_end := far_end_of(name)) is None:
                getattr(start.inputs, name).CopyFrom(announced)
            else:
                start.inputs.far_ends.add(far_end_id=far_end, format=announced)
        start.outputs.processed.CopyFrom(_checked(self.processed, "processed")._message(is_output=True))
        if self.playback is not None:
            start.outputs.playback.CopyFrom(_checked(self.playback, "playback")._message(is_output=True))
        start.outputs.playback_elsewhere = bool(self.is_playback_elsewhere)
        if self.has_opus and self.chunk not in CHUNKS:
            message = f"chunk: {self.chunk} is not supported with Opus; use 0.01, 0.02, 0.04 or 0.06 s"
            raise InvalidRequest(message, field="chunk")
        start.outputs.chunk_duration.CopyFrom(duration(max(1, round(self.chunk * 100)) / 100))
        if self.statistics_interval:
            with field_named("statistics_interval"):
                start.stats_interval.CopyFrom(duration(self.statistics_interval))
        if self.resume_window is not None:
            with field_named("resume_window"):
                start.resume_window.CopyFrom(duration(self.resume_window))
        return start


def _checked(format: Format, name: str) -> Format:
    if not isinstance(format, Format):
        raise FormatError(f"{name}: {format!r} is not a format; use Format(16000)", field=name)
    return format
