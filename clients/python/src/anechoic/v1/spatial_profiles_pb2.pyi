from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeleteProfileRequest(_message.Message):
    __slots__ = ["profile_id"]
    PROFILE_ID_FIELD_NUMBER: _ClassVar[int]
    profile_id: str
    def __init__(self, profile_id: _Optional[str] = ...) -> None: ...

class DeleteProfileResponse(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListProfilesRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListProfilesResponse(_message.Message):
    __slots__ = ["profiles"]
    PROFILES_FIELD_NUMBER: _ClassVar[int]
    profiles: _containers.RepeatedCompositeFieldContainer[SpatialProfile]
    def __init__(self, profiles: _Optional[_Iterable[_Union[SpatialProfile, _Mapping]]] = ...) -> None: ...

class SpatialProfile(_message.Message):
    __slots__ = ["create_time", "directions", "profile_id", "response_samples", "sha256"]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    DIRECTIONS_FIELD_NUMBER: _ClassVar[int]
    PROFILE_ID_FIELD_NUMBER: _ClassVar[int]
    RESPONSE_SAMPLES_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    create_time: _timestamp_pb2.Timestamp
    directions: int
    profile_id: str
    response_samples: int
    sha256: str
    def __init__(self, profile_id: _Optional[str] = ..., create_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., directions: _Optional[int] = ..., response_samples: _Optional[int] = ..., sha256: _Optional[str] = ...) -> None: ...

class UploadProfileRequest(_message.Message):
    __slots__ = ["sofa", "start"]
    class Start(_message.Message):
        __slots__ = ["profile_id"]
        PROFILE_ID_FIELD_NUMBER: _ClassVar[int]
        profile_id: str
        def __init__(self, profile_id: _Optional[str] = ...) -> None: ...
    SOFA_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    sofa: bytes
    start: UploadProfileRequest.Start
    def __init__(self, start: _Optional[_Union[UploadProfileRequest.Start, _Mapping]] = ..., sofa: _Optional[bytes] = ...) -> None: ...

class UploadProfileResponse(_message.Message):
    __slots__ = ["profile"]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    profile: SpatialProfile
    def __init__(self, profile: _Optional[_Union[SpatialProfile, _Mapping]] = ...) -> None: ...
