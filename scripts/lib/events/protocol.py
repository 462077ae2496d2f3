"""The events of proto/anechoic/v1/events.proto, with their options and comments."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any, Iterator

from google.protobuf import descriptor_pb2

EVENTS = "anechoic/v1/events.proto"


class WrongProto(Exception):
    """A message or an option from which no code can be written."""


class Protocol:
    """The messages of a folder of protos, compiled into another folder."""

    def __init__(self, protos: Path, made: Path) -> None:
        names = sorted(str(file.relative_to(protos)) for file in protos.glob("anechoic/v1/*.proto"))
        described = made / "descriptors.binpb"
        subprocess.run(
            ["protoc", f"--proto_path={protos}", f"--python_out={made}", "--include_source_info",
             f"--descriptor_set_out={described}", *names], check=True)
        sys.path.insert(0, str(made))
        self._options = importlib.import_module("anechoic.v1.options_pb2")
        self._modules = [importlib.import_module(f"anechoic.v1.{Path(name).stem}_pb2") for name in names]
        files = descriptor_pb2.FileDescriptorSet.FromString(described.read_bytes()).file
        self._comments = {name: text for file in files for name, text in _comments(file)}
        self.file = importlib.import_module("anechoic.v1.events_pb2").DESCRIPTOR
        event = self.file.message_types_by_name["SessionEvent"].oneofs_by_name["event"]
        self.events = sorted(event.fields, key=lambda field: field.number)
        kinds = {field.message_type for field in self.events}
        # In the order of the file.
        found = set(_reachable(kinds, self.file))
        self.messages = [each for each in self.file.message_types_by_name.values() if each in found]
        self.kinds = kinds

    def comment(self, descriptor: Any) -> str:
        """Returns the comment above a message, an enum or a field. A message or an enum must have one."""
        text = self._comments.get(descriptor.full_name, "")
        if not text and not hasattr(descriptor, "number"):
            raise WrongProto(f"{descriptor.full_name}: a comment above it must say what it is")
        return text

    def value_comment(self, enum: Any, value: Any) -> str:
        return self._comments.get(f"{enum.full_name}.{value.name}", "")

    def option(self, descriptor: Any, name: str) -> Any:
        """Returns the value of an option of options.proto."""
        return descriptor.GetOptions().Extensions[getattr(self._options, name)]

    def shown(self, message: Any) -> Any:
        """Returns the option `shown` of a message, which must have one."""
        shown = self.option(message, "shown")
        if not shown.line:
            raise WrongProto(f"{message.full_name}: option (shown).line must give its words")
        return shown

    def python_enums(self) -> list[tuple[str, Any]]:
        """Returns the enums of the package for Python, each with its name there."""
        used = {field.enum_type for message in self.messages for field in message.fields if field.enum_type}
        enums = []
        for module in self._modules:
            for enum in _enums(module.DESCRIPTOR):
                name = self.python_enum(enum)
                if enum in used or self.option(enum, "python_enum"):
                    enums.append((name, enum))
        return enums

    def python_enum(self, enum: Any) -> str:
        around = enum.containing_type.name if enum.containing_type else ""
        return str(self.option(enum, "python_enum")) or around + enum.name

    def python_class(self, message: Any) -> str:
        return str(self.option(message, "python_class")) or str(message.name)


def prefix(enum: Any) -> str:
    """Returns what the names of an enum's values begin with: SPEECH_ACTIVITY_ for SpeechActivity."""
    words = "".join("_" + letter if letter.isupper() else letter for letter in enum.name)
    return words[1:].upper() + "_"


def _reachable(kinds: Any, file: Any) -> Iterator[Any]:
    for message in kinds:
        if message.file is file or message.file.name == file.name:
            yield message
            yield from _reachable([field.message_type for field in message.fields if field.message_type], file)


def _enums(file: Any) -> Iterator[Any]:
    yield from file.enum_types_by_name.values()
    for message in file.message_types_by_name.values():
        yield from message.enum_types_by_name.values()


def _comments(file: descriptor_pb2.FileDescriptorProto) -> Iterator[tuple[str, str]]:
    """Yields the names of what has a comment above it, with the comment."""
    for location in file.source_code_info.location:
        text = location.leading_comments.strip()
        name = _name(file, list(location.path)) if text else ""
        if name:
            yield f"{file.package}.{name}", "\n".join(line.strip() for line in text.splitlines())


def _name(file: Any, path: list[int]) -> str:
    """Returns the name of a message, enum, field or value from its path in the description of a file."""
    fields = {name: {f.number: f.name for f in kind.DESCRIPTOR.fields} for name, kind in (
        ("file", descriptor_pb2.FileDescriptorProto), ("message", descriptor_pb2.DescriptorProto),
        ("enum", descriptor_pb2.EnumDescriptorProto))}
    inside = {"message_type": "message", "nested_type": "message", "enum_type": "enum", "field": "", "value": ""}
    owner, kind, names = file, "file", []
    while path and kind:
        part = fields[kind].get(path[0], "")
        if part not in inside or len(path) < 2:
            return ""
        owner = getattr(owner, part)[path[1]]
        names.append(owner.name)
        kind, path = inside[part], path[2:]
    return "" if path else ".".join(names)
