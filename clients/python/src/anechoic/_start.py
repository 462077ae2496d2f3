"""The request that opens a session."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping

from google.protobuf import duration_pb2

from .errors import InvalidRequest
from .formats import Format
from .settings import Settings, config_of
from .v1 import voice_processing_pb2 as api


def duration(seconds: float) -> duration_pb2.Duration:
    """Returns seconds as a message."""
    nanos = round(seconds * 1e9)
    return duration_pb2.Duration(seconds=nanos // 10**9, nanos=nanos % 10**9)


def seconds(message: duration_pb2.Duration) -> float:
    """Returns a duration in seconds."""
    return float(message.seconds + message.nanos / 1e9)


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
    is_muted: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    chunk: float = 0.02
    statistics_interval: float = 1.0
    resume_window: float | None = None
    has_intermittent_reference: bool = False

    def request(self) -> api.Start:
        """Returns the start of a new session. Throws `InvalidRequest` for a wrong setting."""
        if not 0.01 <= self.chunk <= 0.12:
            raise InvalidRequest(f"chunk: {self.chunk} is not supported; use 0.01 to 0.12 s", field="chunk")
        start = api.Start(
            session_id=self.session_id, config=config_of(self.settings), muted=self.is_muted,
            pacing=api.PACING_REAL_TIME if self.is_real_time else api.PACING_MEDIA_CLOCK,
            labels=self.labels, engine=self.engine,
        )
        for name, format in self.inputs.items():
            getattr(start.inputs, name).CopyFrom(format._message())
        start.outputs.processed.CopyFrom(self.processed._message())
        if self.playback is not None:
            start.outputs.playback.CopyFrom(self.playback._message())
        start.outputs.playback_elsewhere = self.is_playback_elsewhere
        start.outputs.chunk_duration.CopyFrom(duration(max(1, round(self.chunk * 100)) / 100))
        if self.statistics_interval:
            start.stats_interval.CopyFrom(duration(self.statistics_interval))
        if self.resume_window is not None:
            start.resume_window.CopyFrom(duration(self.resume_window))
        return start
