from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ArbitrateRequest(_message.Message):
    __slots__ = ["activity", "register"]
    ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    REGISTER_FIELD_NUMBER: _ClassVar[int]
    activity: MachineActivity
    register: RegisterMachine
    def __init__(self, register: _Optional[_Union[RegisterMachine, _Mapping]] = ..., activity: _Optional[_Union[MachineActivity, _Mapping]] = ...) -> None: ...

class ArbitrateResponse(_message.Message):
    __slots__ = ["decision", "media_pause_requested", "media_resume_requested", "registered"]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    MEDIA_PAUSE_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    MEDIA_RESUME_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    REGISTERED_FIELD_NUMBER: _ClassVar[int]
    decision: RoutingDecision
    media_pause_requested: MediaPauseRequested
    media_resume_requested: MediaResumeRequested
    registered: MachineRegistered
    def __init__(self, registered: _Optional[_Union[MachineRegistered, _Mapping]] = ..., decision: _Optional[_Union[RoutingDecision, _Mapping]] = ..., media_pause_requested: _Optional[_Union[MediaPauseRequested, _Mapping]] = ..., media_resume_requested: _Optional[_Union[MediaResumeRequested, _Mapping]] = ...) -> None: ...

class ChooseHolderRequest(_message.Message):
    __slots__ = ["group", "headset", "machine", "until_released"]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    HEADSET_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_RELEASED_FIELD_NUMBER: _ClassVar[int]
    group: str
    headset: str
    machine: str
    until_released: bool
    def __init__(self, group: _Optional[str] = ..., headset: _Optional[str] = ..., machine: _Optional[str] = ..., until_released: bool = ...) -> None: ...

class ChooseHolderResponse(_message.Message):
    __slots__ = ["decision"]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    decision: RoutingDecision
    def __init__(self, decision: _Optional[_Union[RoutingDecision, _Mapping]] = ...) -> None: ...

class GetRoutingRequest(_message.Message):
    __slots__ = ["group"]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    group: str
    def __init__(self, group: _Optional[str] = ...) -> None: ...

class GetRoutingResponse(_message.Message):
    __slots__ = ["group", "headsets", "machines"]
    class Machine(_message.Message):
        __slots__ = ["activity", "client", "connected", "machine", "media_paused"]
        ACTIVITY_FIELD_NUMBER: _ClassVar[int]
        CLIENT_FIELD_NUMBER: _ClassVar[int]
        CONNECTED_FIELD_NUMBER: _ClassVar[int]
        MACHINE_FIELD_NUMBER: _ClassVar[int]
        MEDIA_PAUSED_FIELD_NUMBER: _ClassVar[int]
        activity: MachineActivity
        client: str
        connected: bool
        machine: str
        media_paused: bool
        def __init__(self, machine: _Optional[str] = ..., client: _Optional[str] = ..., connected: bool = ..., activity: _Optional[_Union[MachineActivity, _Mapping]] = ..., media_paused: bool = ...) -> None: ...
    GROUP_FIELD_NUMBER: _ClassVar[int]
    HEADSETS_FIELD_NUMBER: _ClassVar[int]
    MACHINES_FIELD_NUMBER: _ClassVar[int]
    group: str
    headsets: _containers.RepeatedCompositeFieldContainer[RoutingDecision]
    machines: _containers.RepeatedCompositeFieldContainer[GetRoutingResponse.Machine]
    def __init__(self, group: _Optional[str] = ..., machines: _Optional[_Iterable[_Union[GetRoutingResponse.Machine, _Mapping]]] = ..., headsets: _Optional[_Iterable[_Union[RoutingDecision, _Mapping]]] = ...) -> None: ...

class MachineActivity(_message.Message):
    __slots__ = ["chosen_headsets", "headsets", "media_playing", "microphone_open", "notification_playing", "since_user_input"]
    CHOSEN_HEADSETS_FIELD_NUMBER: _ClassVar[int]
    HEADSETS_FIELD_NUMBER: _ClassVar[int]
    MEDIA_PLAYING_FIELD_NUMBER: _ClassVar[int]
    MICROPHONE_OPEN_FIELD_NUMBER: _ClassVar[int]
    NOTIFICATION_PLAYING_FIELD_NUMBER: _ClassVar[int]
    SINCE_USER_INPUT_FIELD_NUMBER: _ClassVar[int]
    chosen_headsets: _containers.RepeatedScalarFieldContainer[str]
    headsets: _containers.RepeatedScalarFieldContainer[str]
    media_playing: bool
    microphone_open: bool
    notification_playing: bool
    since_user_input: _duration_pb2.Duration
    def __init__(self, headsets: _Optional[_Iterable[str]] = ..., chosen_headsets: _Optional[_Iterable[str]] = ..., microphone_open: bool = ..., media_playing: bool = ..., notification_playing: bool = ..., since_user_input: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class MachineRegistered(_message.Message):
    __slots__ = ["group", "machine"]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    group: str
    machine: str
    def __init__(self, group: _Optional[str] = ..., machine: _Optional[str] = ...) -> None: ...

class MediaPauseRequested(_message.Message):
    __slots__ = ["machine"]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    machine: str
    def __init__(self, machine: _Optional[str] = ...) -> None: ...

class MediaResumeRequested(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class RegisterMachine(_message.Message):
    __slots__ = ["group", "held_headsets", "machine", "media_paused"]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    HELD_HEADSETS_FIELD_NUMBER: _ClassVar[int]
    MACHINE_FIELD_NUMBER: _ClassVar[int]
    MEDIA_PAUSED_FIELD_NUMBER: _ClassVar[int]
    group: str
    held_headsets: _containers.RepeatedScalarFieldContainer[str]
    machine: str
    media_paused: bool
    def __init__(self, group: _Optional[str] = ..., machine: _Optional[str] = ..., held_headsets: _Optional[_Iterable[str]] = ..., media_paused: bool = ...) -> None: ...

class RoutingDecision(_message.Message):
    __slots__ = ["chosen", "generation", "headset", "holder", "reason"]
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = []
    CHOSEN_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    HEADSET_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    REASON_CALL: RoutingDecision.Reason
    REASON_CHOSEN: RoutingDecision.Reason
    REASON_FIELD_NUMBER: _ClassVar[int]
    REASON_FREE: RoutingDecision.Reason
    REASON_HOLDER_LEFT: RoutingDecision.Reason
    REASON_MEDIA: RoutingDecision.Reason
    REASON_UNSPECIFIED: RoutingDecision.Reason
    chosen: bool
    generation: int
    headset: str
    holder: str
    reason: RoutingDecision.Reason
    def __init__(self, headset: _Optional[str] = ..., holder: _Optional[str] = ..., generation: _Optional[int] = ..., reason: _Optional[_Union[RoutingDecision.Reason, str]] = ..., chosen: bool = ...) -> None: ...
