from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor
MAY_BE_ABSENT_FIELD_NUMBER: _ClassVar[int]
MICROPHONE_POSITION_FIELD_NUMBER: _ClassVar[int]
PYTHON_CLASS_FIELD_NUMBER: _ClassVar[int]
PYTHON_ENUM_FIELD_NUMBER: _ClassVar[int]
REQUIRED_FIELD_NUMBER: _ClassVar[int]
SHOWN_FIELD_NUMBER: _ClassVar[int]
may_be_absent: _descriptor.FieldDescriptor
microphone_position: _descriptor.FieldDescriptor
python_class: _descriptor.FieldDescriptor
python_enum: _descriptor.FieldDescriptor
required: _descriptor.FieldDescriptor
shown: _descriptor.FieldDescriptor

class Shown(_message.Message):
    __slots__ = ["line", "notable", "page"]
    LINE_FIELD_NUMBER: _ClassVar[int]
    NOTABLE_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    line: str
    notable: str
    page: str
    def __init__(self, line: _Optional[str] = ..., page: _Optional[str] = ..., notable: _Optional[str] = ...) -> None: ...
