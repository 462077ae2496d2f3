"""The settings of a session, by the paths of their fields."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import Any, Mapping

from google.protobuf import field_mask_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from ._checks import check_mapping, check_text
from .errors import InvalidRequest
from .v1 import config_pb2

Settings = Mapping[str, object]
"""Paths in `anechoic.v1.SessionConfig` with their values, such as `{"preferred_mic_mode": "VOICE_ISOLATION"}`.

A value is True or False, a number, a text, the name of an enumeration's value, a `timedelta`, or None, which
clears the field. `spatial_audio.sources` is a list of `anechoic.Source`.
"""

_SOURCE = config_pb2.SpatialAudio.Source.DESCRIPTOR.full_name


def config_of(settings: Settings) -> config_pb2.SessionConfig:
    """Returns the configuration with these settings. Throws `InvalidRequest`, which names the field.

    >>> config_of({"mute.gesture_policy": "ASK"}).mute.gesture_policy
    2
    >>> config_of({"mute.colour": 1})
    Traceback (most recent call last):
    anechoic.errors.InvalidRequest: mute.colour: there is no such setting
    """
    config = config_pb2.SessionConfig()
    if settings is None:
        raise InvalidRequest("settings: None is not a mapping; use a dict", field="settings")
    for path, value in check_mapping("settings", settings).items():
        check_text("settings", str(path))
        _set(config, path, value)
    return config


def mask_of(settings: Settings, prefix: str = "") -> field_mask_pb2.FieldMask:
    """Returns the mask that names these settings."""
    return field_mask_pb2.FieldMask(paths=[f"{prefix}{path}" for path in check_mapping("settings", settings)])


def _set(config: Any, path: str, value: object) -> None:
    *parents, name = str(path).split(".")
    message = config
    for parent in parents:
        if _field(message.DESCRIPTOR, parent, path).message_type is None:
            raise _no_such_setting(path)
        message = getattr(message, parent)
    field = _field(message.DESCRIPTOR, name, path)
    if value is None:
        return
    try:
        if isinstance(value, timedelta):
            getattr(message, name).FromTimedelta(value)
        elif field.message_type is not None and field.message_type.full_name == _SOURCE:
            getattr(message, name).extend(source._message() for source in value)  # type: ignore[attr-defined]
        elif field.enum_type is not None:
            setattr(message, name, _number(field, value))
        else:
            setattr(message, name, value)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidRequest(f"{path}: {value!r} is not valid: {error}", field=path) from error


def _field(message: Descriptor | None, name: str, path: str) -> FieldDescriptor:
    field = message.fields_by_name.get(name) if message is not None else None
    if field is None:
        raise _no_such_setting(path)
    return field


def _no_such_setting(path: str) -> InvalidRequest:
    return InvalidRequest(f"{path}: there is no such setting", field=str(path))


def _number(field: FieldDescriptor, value: object) -> int:
    if isinstance(value, Enum):
        return int(value.value)
    if isinstance(value, int):
        return value
    values = field.enum_type.values_by_name  # type: ignore[union-attr]
    for name, each in values.items():
        if isinstance(value, str) and (name == value or name.endswith(f"_{value}")):
            return int(each.number)
    raise ValueError("there is no such value")
