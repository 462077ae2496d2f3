"""The command `python -m anechoic`."""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import signal
import sys
from typing import Any, Coroutine, NoReturn, Sequence

from ._version import __version__
from ._credentials import check_address
from .connection import Connection
from .errors import AnechoicError, InvalidRequest
from .events import Event, Reconnecting, Restarted, Resumed, VoiceActivityChanged
from .files import DEFAULT_SERVER, process
from .recording import WavReader

_WRONG_USAGE, _FAILED, _INTERRUPTED = 64, 2, 130


class _Stopped(Exception):
    """A signal. A server that this command started stops, too."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(_WRONG_USAGE, f"{self.prog}: {message}\n")


def _address(text: str) -> str:
    try:
        check_address(text)
    except InvalidRequest as error:
        raise argparse.ArgumentTypeError(str(error).removeprefix("server: ")) from None
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    parser = _arguments()
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        # A terminal need not have all the characters of a file's name.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        asyncio.run(_until_stopped(_process(options)))
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _fail(f"{place}{error.strerror or error}")
    except AnechoicError as error:
        return _fail(str(error))
    except _Stopped as stopped:
        return 128 + stopped.number
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


async def _until_stopped(work: Coroutine[Any, Any, None]) -> None:
    """Waits for the end of the work. A signal cancels it: an exception in the middle of a step would leave a part."""
    task, stopped = asyncio.ensure_future(work), list[int]()

    def stop(number: int) -> None:
        stopped.append(number)
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:  # As nohup asks for.
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
    try:
        await task
    except asyncio.CancelledError:
        if stopped:
            raise _Stopped(stopped[0]) from None
        raise


def _arguments() -> argparse.ArgumentParser:
    parser = _Arguments(prog="python -m anechoic", description="Removes echo and noise from recordings.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    process = commands.add_parser(
        "process", help="process a WAV file",
        description="Processes a WAV file of 8 to 32 bits, integers or floats. Without --server, uses the "
        "server on 127.0.0.1:50051. If there is none, starts anechoic-server (from PATH or the variable "
        "ANECHOIC_SERVER) and stops it afterwards.",
    )
    process.add_argument("microphone", metavar="MICROPHONE.wav", help="the recording of the microphone")
    process.add_argument("output", metavar="OUTPUT.wav", help="the file to write the processed voice to")
    process.add_argument("--reference", metavar="WAV", help="the sound of the loudspeaker at the same time")
    process.add_argument("--server", type=_address, metavar="ADDRESS", help="HOST:PORT or unix:PATH")
    process.add_argument("--real-time", action="store_true", help="send the file at its own pace")
    process.add_argument("--token-file", metavar="FILE", help="a file with a bearer token")
    process.add_argument("--tls", action="store_true", help="encrypt, and verify the server")
    process.add_argument("--ca-file", metavar="PEM", help="the authorities that verify the server")
    process.add_argument("--certificate", metavar="PEM", help="the certificate of this client")
    process.add_argument("--key", metavar="PEM", help="the key of this client")
    return parser


async def _process(options: argparse.Namespace) -> None:
    _check_output(options.output)
    server = None
    credentials = {
        "token_file": options.token_file, "ca_file": options.ca_file, "certificate_file": options.certificate,
        "key_file": options.key,
    }
    if options.server is not None or options.tls or any(each is not None for each in credentials.values()):
        address = DEFAULT_SERVER if options.server is None else options.server
        server = Connection(address, tls=options.tls, **credentials)
    with WavReader(options.microphone) as microphone:
        rate = microphone.format.rate
    done = await process(
        options.microphone, options.output, reference=options.reference, server=server,
        real_time=options.real_time, settings={"voice_activity_detection.enabled": True},
        on_event=lambda event: _print(event, rate),
    )
    if options.reference is None:
        print("echo reduction: not possible without the sound of the loudspeaker (--reference)", file=sys.stderr)
    lost = f", {done.lost_samples} of them lost" if done.lost_samples else ""
    print(f"{done.samples / rate:.2f} s written to {options.output}{lost}")


def _check_output(path: str) -> None:
    """Throws for a new file whose name promises another format than WAV. A pipe or a device may have any name."""
    if not path.lower().endswith(".wav") and (os.path.isfile(path) or not os.path.exists(path)):
        raise InvalidRequest(f"{path}: the file name must end in .wav")


def _print(event: Event, rate: int) -> None:
    if isinstance(event, VoiceActivityChanged):
        print(f"{event.began_at_sample / rate:8.2f} s  voice {'started' if event.active else 'ended'}", flush=True)
    elif isinstance(event, Reconnecting):
        print(f"the connection was lost: {event.error}; reconnecting", file=sys.stderr, flush=True)
    elif isinstance(event, Resumed):
        print("the session goes on", file=sys.stderr, flush=True)
    elif isinstance(event, Restarted):
        print(f"a new session continues at {event.sample / rate:.2f} s", file=sys.stderr, flush=True)


def _fail(message: str) -> int:
    print(f"anechoic: {' '.join(message.split())}", file=sys.stderr)
    return _FAILED


if __name__ == "__main__":
    sys.exit(main())
