"""Checks of options: a wrong one is an `InvalidRequest`, which says what would be right."""

from __future__ import annotations

import os
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
        number = float(value) if _is_single(value) else float("nan")  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    is_number = not isnan(number)
    is_inside = least <= number <= most if isfinite(number) else or_infinite and number > 0
    if not (is_number and is_inside):
        raise InvalidRequest(f"{name}: {value!r} is not supported; use {least:g} to {most:g}{unit}", field=name)


def check_interval(name: str, value: object) -> None:
    """Throws unless a value is the interval of statistics in seconds, or 0.

    >>> check_interval("statistics_interval", 0)
    """
    is_zero = _is_single(value) and value == 0
    if not is_zero:
        check_number(name, value, 0.1, 3600, " s, or 0 for no statistics")


def _is_single(value: object) -> bool:
    """Whether a value may be one number. Arrays, also those of one element, and texts have a length."""
    return not hasattr(value, "__len__") and not isinstance(value, bool)


def check_real(name: str, value: object) -> None:
    """Throws unless a value is a number."""
    is_real = hasattr(value, "__float__") and _is_single(value)
    try:
        is_finite = is_real and isfinite(float(value))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        is_finite = False
    if not is_finite:
        raise InvalidRequest(f"{name}: {value!r} is not a number; use a float", field=name)


def check_flag(name: str, value: object) -> None:
    """Throws unless a value is True or False."""
    if type(value).__name__ not in ("bool", "bool_"):  # The second one is that of numpy.
        raise InvalidRequest(f"{name}: {value!r} is not supported; use True or False", field=name)


def check_text(name: str, value: object) -> None:
    """Throws unless a value is a text that can be sent.

    >>> check_text("engine", "\\ud800")
    Traceback (most recent call last):
    anechoic.errors.InvalidRequest: engine: '\\ud800' contains half a character; use a valid str
    """
    if not isinstance(value, str):
        raise InvalidRequest(f"{name}: {value!r} is not a text; use a str", field=name)
    if not is_whole(value):
        raise InvalidRequest(f"{name}: {value!r} contains half a character; use a valid str", field=name)


def is_whole(text: str) -> bool:
    """Whether a text can be sent: it contains no surrogate, which is half of a character in UTF-16."""
    return not any("\ud800" <= each <= "\udfff" for each in text)


def check_sample(name: str, value: object) -> None:
    """Throws unless a value is the index of a sample."""
    is_index = hasattr(value, "__index__") and _is_single(value)
    if not is_index or not 0 <= int(value) < 2**63:  # type: ignore[call-overload]
        raise InvalidRequest(f"{name}: {value!r} is not the index of a sample; use an int from 0 on", field=name)


def check_function(name: str, value: object) -> None:
    """Throws unless a value is a function or None."""
    if value is not None and not callable(value):
        raise InvalidRequest(f"{name}: {value!r} cannot be called; use a function, or None", field=name)


def check_callable(name: str, value: object) -> None:
    """Throws unless a value is a function."""
    if not callable(value):
        raise InvalidRequest(f"{name}: {value!r} cannot be called; use a function", field=name)


def check_path(name: str, value: Any) -> str | os.PathLike[str]:
    """Returns the path of a file. Throws for anything else, and for one that no file can have."""
    if not isinstance(value, (str, os.PathLike)):
        raise InvalidRequest(f"{name}: {value!r} is not a path; use a str or a Path", field=name)
    try:
        is_usable = isinstance(os.fspath(value), str) and b"\0" not in os.fsencode(value)
    except UnicodeError:
        is_usable = False
    if not is_usable:
        raise InvalidRequest(f"{name}: {os.fspath(value)!r} cannot be the path of a file", field=name)
    return value


def check_bytes(name: str, value: object, words: str = "use bytes") -> None:
    """Throws unless a value is bytes, or something like them."""
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise InvalidRequest(f"{name}: {value!r} is not supported; {words}", field=name)


def check_iterable(name: str, value: object) -> None:
    """Throws unless `async for` can go through a value."""
    if not hasattr(value, "__aiter__"):
        raise InvalidRequest(f"{name}: {value!r} cannot be iterated; use an async generator", field=name)


def check_mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """Returns a mapping, or an empty one for None. Throws for anything else."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{name}: {value!r} is not a mapping; use a dict", field=name)
    return value
