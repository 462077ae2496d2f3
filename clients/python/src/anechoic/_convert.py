"""Turns messages of anechoic.v1 into the dataclasses of this package, by the names of their fields."""

from __future__ import annotations

import functools
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Any, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from google.protobuf import duration_pb2

T = TypeVar("T")


def from_message(kind: Type[T], message: Any, **known: Any) -> T:
    """Returns a dataclass with the values of a message.

    A field of the dataclass that the message does not have keeps its default, or its value in `known`.
    A value that the message leaves out is None if the dataclass says that it may be.
    """
    values = dict(known)
    names = message.DESCRIPTOR.fields_by_name
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    for name, hint in hints.items():
        if name in names and name not in known:
            values[name] = _value(hint, message, name)
    return kind(**values)


@functools.lru_cache(maxsize=None)
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _value(hint: Any, message: Any, name: str) -> Any:
    value = getattr(message, name)
    if get_origin(hint) is Union or type(None) in get_args(hint):
        if not message.HasField(name):
            return None
        hint = next(each for each in get_args(hint) if each is not type(None))
    if hint is timedelta:
        return interval(value)
    if hint is datetime:
        return _time(value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _member(hint, value)
    if isinstance(hint, type) and is_dataclass(hint):
        return from_message(hint, value)
    if get_origin(hint) is list and issubclass(get_args(hint)[0], Enum):
        return [_member(get_args(hint)[0], each) for each in value]
    if get_origin(hint) is dict:
        return dict(value)
    return value


def interval(message: duration_pb2.Duration) -> timedelta:
    """Returns a duration. One that is too long for Python is the longest one.

    >>> interval(duration_pb2.Duration(seconds=1, nanos=500_000_000))
    datetime.timedelta(seconds=1, microseconds=500000)
    >>> interval(duration_pb2.Duration(seconds=1 << 62)) == timedelta.max
    True
    """
    try:
        return timedelta(seconds=message.seconds, microseconds=message.nanos / 1000)
    except OverflowError:
        return timedelta.max if message.seconds > 0 else timedelta.min


def _time(message: Any) -> datetime:
    """Returns a time. One that Python does not know is the first or last one."""
    try:
        return datetime.fromtimestamp(message.seconds + message.nanos / 1e9, timezone.utc)
    except (OverflowError, OSError, ValueError):
        return (datetime.max if message.seconds > 0 else datetime.min).replace(tzinfo=timezone.utc)


def _member(kind: Type[Enum], number: int) -> Enum:
    """Returns a member. A number of a newer server is the first member, which means unspecified."""
    try:
        return kind(number)
    except ValueError:
        return next(iter(kind))
