"""The common parts of the adapters: the arguments, the microphone and the events."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from typing import TextIO

import numpy as np

PERIOD = 30000
_WRITING = threading.Lock()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--rate", type=int, required=True, help="samples per second of the microphone")
    parser.add_argument("--seconds", type=float, required=True, help="how long the microphone runs")
    parser.add_argument("--output", required=True, help="the file for the output: 16-bit samples")
    parser.add_argument("--session", default="conformance", help="the id of the session")
    parser.add_argument("--fallback", choices=("microphone", "silence"), default="microphone",
                        help="what a live client plays while it has no session")
    parser.add_argument("--mute-at", type=int, help="mutes after so many milliseconds of the microphone")
    parser.add_argument("--unmute-at", type=int)
    parser.add_argument("--stall-at", type=int, help="exchanges nothing from here on")
    parser.add_argument("--stall", type=int, default=0, help="for so many milliseconds")
    parser.add_argument("--change-at", type=int, help="the microphone has another rate from here on")
    parser.add_argument("--change-to", type=int)
    parser.add_argument("--pause-at", type=int, help="the microphone captures nothing from here on")
    parser.add_argument("--pause", type=int, default=0, help="for so many milliseconds")
    parser.add_argument("--idle-ms", type=int, help="ends a session without audio after so many milliseconds")
    parser.add_argument("--engine", default="", help="the engine of the session")
    parser.add_argument("--label", help="KEY=VALUE: a label of the session")
    parser.add_argument("--ticket", help="the file with the ticket of the session that the client plays")
    parser.add_argument("--second-server", help="the address of another server")
    parser.add_argument("--decide", choices=("yes",), help="accepts who asks to inject speech, and gestures")
    return parser.parse_args()


def labels(options: argparse.Namespace) -> dict[str, str]:
    """The labels that the options name."""
    return dict([options.label.split("=", 1)]) if options.label else {}


def microphone(first: int, count: int) -> np.ndarray:
    """Samples that count 1, 2, 3 up to 30,000 and begin anew, after 0.6 s at 48 kHz and 1.9 s at 16 kHz. None is 0."""
    return (1 + np.arange(first, first + count) % PERIOD).astype("<i2")


def tell(event: str, **values: object) -> None:
    _write(sys.stdout, json.dumps({"event": event, **values}))


def log(text: str) -> None:
    _write(sys.stderr, text)


def _write(stream: TextIO, line: str) -> None:
    """Writes a line as a whole: several threads tell events, and `print` writes the end of a line by itself."""
    with _WRITING:
        stream.write(line + "\n")
        stream.flush()
