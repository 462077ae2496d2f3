"""The measurements of a session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from .enums import MicMode


@dataclass(frozen=True)
class EchoStatistics:
    """The echo and its removal. A value that is not known yet is None."""

    echo_return_loss_db: float | None
    echo_return_loss_enhancement_db: float | None
    delay: timedelta | None
    residual_echo_likelihood: float | None
    converged: bool
    reference_active: bool
    heard_reduction_db: float | None


@dataclass(frozen=True)
class TimingStatistics:
    """Clocks, queues and processing times."""

    drift_ppm: float | None
    jitter: timedelta | None
    frame_processing_p50: timedelta
    frame_processing_p99: timedelta
    input_lag: timedelta
    output_backlog: timedelta
    thread_load: float | None


@dataclass(frozen=True)
class LevelStatistics:
    """Levels in dBFS, and the speech probability of the last frame."""

    microphone_rms_dbfs: float
    processed_rms_dbfs: float
    noise_floor_dbfs: float
    speech_probability: float
    reference_rms_dbfs: float | None


@dataclass(frozen=True)
class FlowStatistics:
    """Counters since the start of the session."""

    frames_processed: int
    samples_concealed: int
    reference_frames_missing: int
    output_chunks_dropped: int
    output_samples_dropped: int
    microphone_samples_late: int
    suspensions: int
    output_samples_lost: int


@dataclass(frozen=True)
class BufferStatistics:
    """The elastic buffer of an input."""

    delay: timedelta
    target: timedelta


@dataclass(frozen=True)
class Statistics:
    """The measurements of a session at one time."""

    echo: EchoStatistics
    timing: TimingStatistics
    levels: LevelStatistics
    flow: FlowStatistics
    active_mic_mode: MicMode
    ducking_gain_db: float
    far_end: BufferStatistics | None
    other_audio: BufferStatistics | None
    reduced: bool
    spatial_audio_active: bool
