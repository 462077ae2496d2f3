"""Processes recordings in WAV files."""

from __future__ import annotations

import asyncio
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Callable

import numpy as np

from ._checks import check_function, check_path
from ._local import find_server, local_server
from .errors import FormatError, InvalidRequest
from .events import Event
from .formats import Samples
from .recording import StrPath, WavReader, WavWriter
from .session import Server, Session
from .settings import Settings
from .statistics import Statistics

DEFAULT_SERVER = "127.0.0.1:50051"
_SLICE_SECONDS = 0.1


@dataclass(frozen=True)
class Processed:
    """The result of `process`."""

    samples: int
    """The samples of each channel that were written."""
    lost_samples: int
    """The samples that were lost with a connection, and are silence in the file."""
    statistics: Statistics | None
    """The last statistics of the session."""


async def process(
    microphone: StrPath,
    output: StrPath,
    *,
    reference: StrPath | None = None,
    server: Server | None = None,
    real_time: bool = False,
    settings: Settings | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Processed:
    """Processes a WAV file, and writes the voice to another one of the same length and format.

    - reference: The sound of the loudspeaker at the same time. Its echo is removed.
    - server: The server. If None, the one on 127.0.0.1:50051; if there is none, one is started meanwhile.
    - real_time: Sends the file at its own pace, as a device would.
    - on_event: Called with each event.

    Throws `OSError` for a file, `FormatError` for one that is not supported, and `AnechoicError`.
    """
    paths = {"microphone": microphone, "output": output, **({} if reference is None else {"reference": reference})}
    for name, path in paths.items():
        check_path(name, path)
    check_function("on_event", on_event)
    async with AsyncExitStack() as stack:
        mic = stack.enter_context(WavReader(microphone))
        ref = stack.enter_context(WavReader(reference)) if reference is not None else None
        for file in (mic, ref):
            if file is not None and file.count == 0:
                raise FormatError(f"{file.path}: the file contains no samples")
            if file is not None and os.path.exists(output) and os.path.samefile(file.path, output):
                raise InvalidRequest(f"{os.fspath(output)}: this file is also an input, and would be overwritten")
        if server is None:
            server = DEFAULT_SERVER
            if not await find_server(server):
                server = await stack.enter_async_context(local_server())
        session = Session(
            server, microphone=mic.format, reference=ref.format if ref else None, real_time=real_time,
            settings=settings, chunk=0.02 if real_time else 0.1,
        )
        await stack.enter_async_context(session)
        # The file is made last: a refused session leaves the file of before.
        target = stack.enter_context(WavWriter(output, mic.format))
        return await _run(session, mic, ref, target, on_event, real_time)


def process_file(
    microphone: StrPath,
    output: StrPath,
    *,
    reference: StrPath | None = None,
    server: Server | None = None,
    real_time: bool = False,
    settings: Settings | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Processed:
    """Does the same as `process`, for scripts without an event loop."""
    return asyncio.run(
        process(
            microphone, output, reference=reference, server=server, real_time=real_time, settings=settings,
            on_event=on_event,
        )
    )


async def _run(
    session: Session, mic: WavReader, ref: WavReader | None, target: WavWriter,
    on_event: Callable[[Event], None] | None, real_time: bool,
) -> Processed:
    tasks = [asyncio.create_task(_feed(session, mic, ref, real_time))]
    if on_event is not None:
        tasks.append(asyncio.create_task(_report(session, on_event)))
    written = 0
    try:
        async for part in session:
            target.write(part.samples)
            written += len(part.samples)
        for task in tasks:
            await task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return Processed(written, session.lost_samples, session.statistics)


async def _feed(session: Session, mic: WavReader, ref: WavReader | None, real_time: bool) -> None:
    loop = asyncio.get_running_loop()
    began, position = loop.time(), 0
    count = round((0.02 if real_time else _SLICE_SECONDS) * mic.format.rate)
    try:
        while len(samples := mic.read(count)):
            position += len(samples)
            if real_time:
                await asyncio.sleep(max(0.0, began + position / mic.format.rate - loop.time()))
            if ref is None:
                await session.feed(samples)
            else:
                await session.feed(samples, _reference(ref, position - len(samples), position, mic.format.rate))
    finally:
        await session.finish()


def _reference(ref: WavReader, start: int, end: int, rate: int) -> Samples:
    """Returns the reference of some samples of the microphone, with silence after its end."""
    count = end * ref.format.rate // rate - start * ref.format.rate // rate
    samples = ref.read(count)
    missing = [(0, count - len(samples))] + [(0, 0)] * (samples.ndim - 1)
    return np.pad(samples, missing)


async def _report(session: Session, on_event: Callable[[Event], None]) -> None:
    async for event in session.events():
        on_event(event)
