"""Checks of options: a wrong one is an `InvalidRequest`, which says what would be right."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any, Mapping

from .errors import InvalidRequest


def check_number(
    name: str, value: object, least: float, most: float, unit: str = "", *, or_infinite: bool = False
) -> None:
    """Throws unless a value is a number in a range.

    >>> check_number("chunk", "20 ms", 0.01, 0.12, " s")
    Traceback (most recent call last):
    anechoic.errors.InvalidRequest: chunk: '20 ms' is not supported; use 0.01 to 0.12 s
    """
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    is_number = not isinstance(value, (str, bytes, bytearray, bool)) and not isnan(number)
    is_inside = least <= number <= most if isfinite(number) else or_infinite and number > 0
    if not (is_number and is_inside):
        raise InvalidRequest(f"{name}: {value!r} is not supported; use {least:g} to {most:g}{unit}", field=name)


def check_flag(name: str, value: object) -> None:
    """Throws unless a value is True or False."""
    if type(value).__name__ not in ("bool", "bool_"):  # The second one is that of numpy.
        raise InvalidRequest(f"{name}: {value!r} is not supported; use True or False", field=name)


def check_text(name: str, value: object) -> None:
    """Throws unless a value is a text."""
    if not isinstance(value, str):
        raise InvalidRequest(f"{name}: {value!r} is not a text; use a str", field=name)


def check_function(name: str, value: object) -> None:
    """Throws unless a value is a function or None."""
    if value is not None and not callable(value):
        raise InvalidRequest(f"{name}: {value!r} cannot be called; use a function, or None", field=name)


def check_mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """Returns a mapping, or an empty one for None. Throws for anything else."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{name}: {value!r} is not a mapping; use a dict", field=name)
    return value
