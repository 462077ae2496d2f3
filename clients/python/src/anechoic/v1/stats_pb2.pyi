from anechoic.v1 import config_pb2 as _config_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SessionStats(_message.Message):
    __slots__ = ["active_mic_mode", "ducking_gain_db", "echo", "far_end", "flow", "levels", "other_audio", "reduced", "spatial_audio_active", "timing"]
    class Buffer(_message.Message):
        __slots__ = ["delay", "target"]
        DELAY_FIELD_NUMBER: _ClassVar[int]
        TARGET_FIELD_NUMBER: _ClassVar[int]
        delay: _duration_pb2.Duration
        target: _duration_pb2.Duration
        def __init__(self, delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., target: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...
    class Echo(_message.Message):
        __slots__ = ["converged", "delay", "echo_return_loss_db", "echo_return_loss_enhancement_db", "heard_reduction_db", "reference_active", "residual_echo_likelihood"]
        CONVERGED_FIELD_NUMBER: _ClassVar[int]
        DELAY_FIELD_NUMBER: _ClassVar[int]
        ECHO_RETURN_LOSS_DB_FIELD_NUMBER: _ClassVar[int]
        ECHO_RETURN_LOSS_ENHANCEMENT_DB_FIELD_NUMBER: _ClassVar[int]
        HEARD_REDUCTION_DB_FIELD_NUMBER: _ClassVar[int]
        REFERENCE_ACTIVE_FIELD_NUMBER: _ClassVar[int]
        RESIDUAL_ECHO_LIKELIHOOD_FIELD_NUMBER: _ClassVar[int]
        converged: bool
        delay: _duration_pb2.Duration
        echo_return_loss_db: float
        echo_return_loss_enhancement_db: float
        heard_reduction_db: float
        reference_active: bool
        residual_echo_likelihood: float
        def __init__(self, echo_return_loss_db: _Optional[float] = ..., echo_return_loss_enhancement_db: _Optional[float] = ..., delay: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., residual_echo_likelihood: _Optional[float] = ..., converged: bool = ..., reference_active: bool = ..., heard_reduction_db: _Optional[float] = ...) -> None: ...
    class Flow(_message.Message):
        __slots__ = ["frames_processed", "microphone_samples_late", "output_chunks_dropped", "output_samples_dropped", "output_samples_lost", "reference_frames_missing", "samples_concealed", "suspensions"]
        FRAMES_PROCESSED_FIELD_NUMBER: _ClassVar[int]
        MICROPHONE_SAMPLES_LATE_FIELD_NUMBER: _ClassVar[int]
        OUTPUT_CHUNKS_DROPPED_FIELD_NUMBER: _ClassVar[int]
        OUTPUT_SAMPLES_DROPPED_FIELD_NUMBER: _ClassVar[int]
        OUTPUT_SAMPLES_LOST_FIELD_NUMBER: _ClassVar[int]
        REFERENCE_FRAMES_MISSING_FIELD_NUMBER: _ClassVar[int]
        SAMPLES_CONCEALED_FIELD_NUMBER: _ClassVar[int]
        SUSPENSIONS_FIELD_NUMBER: _ClassVar[int]
        frames_processed: int
        microphone_samples_late: int
        output_chunks_dropped: int
        output_samples_dropped: int
        output_samples_lost: int
        reference_frames_missing: int
        samples_concealed: int
        suspensions: int
        def __init__(self, frames_processed: _Optional[int] = ..., samples_concealed: _Optional[int] = ..., reference_frames_missing: _Optional[int] = ..., output_chunks_dropped: _Optional[int] = ..., output_samples_dropped: _Optional[int] = ..., microphone_samples_late: _Optional[int] = ..., suspensions: _Optional[int] = ..., output_samples_lost: _Optional[int] = ...) -> None: ...
    class Levels(_message.Message):
        __slots__ = ["microphone_rms_dbfs", "noise_floor_dbfs", "processed_rms_dbfs", "reference_rms_dbfs", "speech_probability"]
        MICROPHONE_RMS_DBFS_FIELD_NUMBER: _ClassVar[int]
        NOISE_FLOOR_DBFS_FIELD_NUMBER: _ClassVar[int]
        PROCESSED_RMS_DBFS_FIELD_NUMBER: _ClassVar[int]
        REFERENCE_RMS_DBFS_FIELD_NUMBER: _ClassVar[int]
        SPEECH_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
        microphone_rms_dbfs: float
        noise_floor_dbfs: float
        processed_rms_dbfs: float
        reference_rms_dbfs: float
        speech_probability: float
        def __init__(self, microphone_rms_dbfs: _Optional[float] = ..., processed_rms_dbfs: _Optional[float] = ..., noise_floor_dbfs: _Optional[float] = ..., speech_probability: _Optional[float] = ..., reference_rms_dbfs: _Optional[float] = ...) -> None: ...
    class Timing(_message.Message):
        __slots__ = ["drift_ppm", "frame_processing_p50", "frame_processing_p99", "input_lag", "jitter", "output_backlog", "thread_load"]
        DRIFT_PPM_FIELD_NUMBER: _ClassVar[int]
        FRAME_PROCESSING_P50_FIELD_NUMBER: _ClassVar[int]
        FRAME_PROCESSING_P99_FIELD_NUMBER: _ClassVar[int]
        INPUT_LAG_FIELD_NUMBER: _ClassVar[int]
        JITTER_FIELD_NUMBER: _ClassVar[int]
        OUTPUT_BACKLOG_FIELD_NUMBER: _ClassVar[int]
        THREAD_LOAD_FIELD_NUMBER: _ClassVar[int]
        drift_ppm: float
        frame_processing_p50: _duration_pb2.Duration
        frame_processing_p99: _duration_pb2.Duration
        input_lag: _duration_pb2.Duration
        jitter: _duration_pb2.Duration
        output_backlog: _duration_pb2.Duration
        thread_load: float
        def __init__(self, drift_ppm: _Optional[float] = ..., jitter: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., frame_processing_p50: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., frame_processing_p99: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., input_lag: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., output_backlog: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., thread_load: _Optional[float] = ...) -> None: ...
    ACTIVE_MIC_MODE_FIELD_NUMBER: _ClassVar[int]
    DUCKING_GAIN_DB_FIELD_NUMBER: _ClassVar[int]
    ECHO_FIELD_NUMBER: _ClassVar[int]
    FAR_END_FIELD_NUMBER: _ClassVar[int]
    FLOW_FIELD_NUMBER: _ClassVar[int]
    LEVELS_FIELD_NUMBER: _ClassVar[int]
    OTHER_AUDIO_FIELD_NUMBER: _ClassVar[int]
    REDUCED_FIELD_NUMBER: _ClassVar[int]
    SPATIAL_AUDIO_ACTIVE_FIELD_NUMBER: _ClassVar[int]
    TIMING_FIELD_NUMBER: _ClassVar[int]
    active_mic_mode: _config_pb2.MicMode
    ducking_gain_db: float
    echo: SessionStats.Echo
    far_end: SessionStats.Buffer
    flow: SessionStats.Flow
    levels: SessionStats.Levels
    other_audio: SessionStats.Buffer
    reduced: bool
    spatial_audio_active: bool
    timing: SessionStats.Timing
    def __init__(self, echo: _Optional[_Union[SessionStats.Echo, _Mapping]] = ..., timing: _Optional[_Union[SessionStats.Timing, _Mapping]] = ..., levels: _Optional[_Union[SessionStats.Levels, _Mapping]] = ..., flow: _Optional[_Union[SessionStats.Flow, _Mapping]] = ..., active_mic_mode: _Optional[_Union[_config_pb2.MicMode, str]] = ..., ducking_gain_db: _Optional[float] = ..., far_end: _Optional[_Union[SessionStats.Buffer, _Mapping]] = ..., other_audio: _Optional[_Union[SessionStats.Buffer, _Mapping]] = ..., reduced: bool = ..., spatial_audio_active: bool = ...) -> None: ...
