"""Loose comparison of a shown output with a real one: numbers, times and ids may differ."""

import functools
import re


@functools.lru_cache(maxsize=100_000)
def normal(line: str) -> str:
    line = re.sub(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|\b[0-9a-f]{16,}\b", "#", line)
    line = re.sub(r"\b(quiet|talks)\b", "#", line)
    line = re.sub(r"\d[\d.,:]*(T[\d:.]+Z)?", "#", line)
    return re.sub(r"\s+", " ", line).strip()


def missing(shown: str, real: list[str]) -> list[str]:
    """The lines that are shown and that no program has printed. "…" and "..." stand for anything."""
    lines = {normal(line) for text in real for line in text.split("\n")}
    result = []
    for line in shown.split("\n"):
        parts = re.split(r"…|\.\.\.", normal(line))
        if not "".join(parts).strip():
            continue
        pattern = re.compile(".*".join(re.escape(part.strip()) for part in parts))
        if not any(pattern.fullmatch(other) for other in lines):
            result.append(line)
    return result
