"""The templates of proto/anechoic/v1/options.proto, which say how a message is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from .protocol import WrongProto, prefix

FORMATS = ("", "words", "s")
DURATION = "google.protobuf.Duration"


@dataclass(frozen=True)
class Value:
    """The value of a field, in words. `path` leads from the message to it."""

    path: tuple[Any, ...]
    format: str

    @property
    def field(self) -> Any:
        return self.path[-1]


@dataclass(frozen=True)
class Choice:
    """One of two templates. `value` is the value of an enum that the field must have, or None."""

    path: tuple[Any, ...]
    value: Any
    yes: "Template"
    no: "Template"

    @property
    def field(self) -> Any:
        return self.path[-1]


Template = tuple[Union[str, Value, Choice], ...]


def parse(message: Any, text: str) -> Template:
    """Returns the template of a message."""
    try:
        template, rest = _template(message, text, "")
        if rest:
            raise WrongProto(f"\"{rest[0]}\" closes nothing")
    except WrongProto as error:
        raise WrongProto(f"{message.full_name}: \"{text}\": {error}") from None
    return template


def path(message: Any, text: str) -> tuple[Any, ...]:
    """Returns the fields that lead to `state.actor`."""
    fields = []
    for name in text.split("."):
        if message is None or name not in message.fields_by_name:
            raise WrongProto(f"there is no field \"{text}\"")
        fields.append(message.fields_by_name[name])
        message = fields[-1].message_type
    return tuple(fields)


def _template(message: Any, text: str, ends: str) -> tuple[Template, str]:
    """Returns the template up to one of some letters, and the rest."""
    parts: list[Union[str, Value, Choice]] = []
    while text and text[0] not in ends:
        if text[0] == "{":
            part, text = _braces(message, text[1:])
            parts.append(part)
            continue
        if text[0] == "}":
            return tuple(parts), text
        end = min((at for at in map(text.find, "{}" + ends) if at >= 0), default=len(text))
        parts.append(text[:end])
        text = text[end:]
    return tuple(parts), text


def _braces(message: Any, text: str) -> tuple[Union[Value, Choice], str]:
    """Returns what braces contain, and the text after them."""
    end = min((at for at in map(text.find, "?}") if at >= 0), default=-1)
    if end < 0:
        raise WrongProto("a brace is not closed")
    head, text = text[:end], text[end:]
    if text[0] == "}":
        name, _, form = head.partition(":")
        if form not in FORMATS:
            raise WrongProto(f"\":{form}\" is unknown; use :words or :s")
        return Value(path(message, name), form), text[1:]
    name, _, wanted = head.partition("=")
    fields = path(message, name)
    yes, text = _template(message, text[1:], "|}")
    no: Template = ()
    if text.startswith("|"):
        no, text = _template(message, text[1:], "}")
    if not text.startswith("}"):
        raise WrongProto("a brace is not closed")
    return Choice(fields, _value(fields[-1], wanted) if wanted else None, yes, no), text[1:]


def _value(field: Any, name: str) -> Any:
    """Returns the value of an enum with a name."""
    values = field.enum_type.values_by_name if field.enum_type else {}
    full = prefix(field.enum_type) + name if field.enum_type else name
    if full not in values:
        raise WrongProto(f"{field.name}: there is no value \"{full}\"")
    return values[full]
