"""Feeds audio into a session: in slices, at the pace of real time, and never more than there is room for."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import AsyncIterator, Mapping, Union

from ._link import Link
from ._reports import nanoseconds
from ._start import Plan
from ._stops import Stops
from ._within import within
from .errors import AnechoicError, FormatError, InvalidRequest, Refused
from .formats import Audio
from .spatial import far_end_of

_SLICE_SECONDS = 0.1
_PATIENCE_SECONDS = 30.0

Times = Mapping[str, Union[float, None]]


class Feeder:
    """Adds audio to the inputs of a session."""

    def __init__(self, link: Link, plan: Plan) -> None:
        self._link, self._plan = link, plan
        self._tracks = {name: link.outbox.track(name) for name in plan.inputs}
        self._stops = Stops()
        self._places_reference = plan.is_real_time and plan.has_intermittent_reference and "reference" in plan.inputs

    def _check(self) -> None:
        """Throws if the session takes no audio."""
        self._link.check()
        if self._link.outbox.is_finished:
            raise Refused("the input of the session has ended: finish or close was called", reason="INPUT_ENDED")

    async def feed(self, times: Times, **inputs: Audio) -> None:
        """Adds audio, and waits for room. `times` has the times of the first samples, as far as they are known."""
        self._check()
        known = self._known(times)
        waiting = self._data(inputs)
        self._note_time(inputs, waiting.get("microphone"), asyncio.get_running_loop().time())
        if self._link.is_connected and self._fits(waiting):
            for name, data in waiting.items():
                self._tracks[name].add(data, known.get(name))
            return self._link.wake()
        while waiting:
            added = self._add_some(waiting, known)
            self._link.wake()
            if waiting and not added:
                self._check_pace(waiting)
                await self._wait()
            else:  # A program that feeds without a pause must not keep the loop from connecting again.
                await asyncio.sleep(0)
                self._link.check()

    def feed_nowait(self, times: Times, **inputs: Audio) -> None:
        """Adds audio, and drops the oldest if there is no room."""
        self._check()
        if not self._plan.is_real_time:
            raise FormatError("feed_nowait is for sessions in real time; use feed")
        try:
            now = asyncio.get_running_loop().time()
        except RuntimeError:
            message = "feed_nowait: no event loop runs here; call it in a coroutine or callback"
            raise InvalidRequest(message) from None
        known = self._known(times)
        waiting = self._data(inputs)
        self._note_time(inputs, waiting.get("microphone"), now)
        for name, data in waiting.items():
            self._tracks[name].add(data, known.get(name))
        self._drop_oldest()
        self._link.wake()

    def forget_heard(self) -> None:
        """Forgets the placed reference that was heard while the microphone has stopped."""
        self._forget_heard(self._stops.passed(monotonic()))

    def _forget_heard(self, seconds: float) -> None:
        if seconds != 0 and self._places_reference:
            self._link.outbox.forget_heard(seconds)

    def _note_time(self, inputs: dict[str, Audio], microphone: memoryview | None, now: float) -> None:
        """Records when the microphone was fed.

        The audio that other inputs have gathered since belongs to none of its samples, and is left out. A placed
        reference is left out as it is heard.
        """
        outbox = self._link.outbox
        if microphone is not None:
            format = self._plan.inputs["microphone"]
            outbox.fed_at = now
            self._forget_heard(self._stops.came(monotonic(), len(microphone) / format.frame_bytes / format.rate))
        elif self._plan.is_real_time and self._stops.has_stopped(monotonic()):
            self.forget_heard()
            for name in inputs:
                if name != "reference" or not self._places_reference:
                    outbox.leave_out(name)

    def _known(self, times: Times) -> dict[str, int]:
        return {name: nanoseconds(time, f"{name}_time") for name, time in times.items() if time is not None}

    def _fits(self, waiting: dict[str, memoryview]) -> bool:
        """Whether there is room for all of it. Runs per call of `feed`."""
        for name, data in waiting.items():
            track = self._tracks[name]
            if len(data) > self._link.outbox.room(track) * track.format.frame_bytes:
                return False
        return True

    def _data(self, inputs: dict[str, Audio]) -> dict[str, memoryview]:
        found = {}
        for name, audio in inputs.items():
            if _is_empty(audio):
                continue
            found[name] = _bytes(self._plan, name, audio)
        return found

    def _add_some(self, waiting: dict[str, memoryview], known: dict[str, int]) -> bool:
        """Adds a slice of each input. Removes from `waiting` what was added. Returns whether anything was."""
        added = False
        drops_oldest = self._link.drops_oldest
        for name, data in list(waiting.items()):
            track = self._tracks[name]
            size = track.format.frame_bytes
            slice_samples = round(_SLICE_SECONDS * track.format.rate)
            count = slice_samples if drops_oldest else min(self._link.outbox.room(track), slice_samples)
            if count <= 0:
                continue
            track.add(data[: count * size], known.get(name))
            if name in known:
                known[name] += count * 1_000_000_000 // track.format.rate
            added = True
            if len(data) > count * size:
                waiting[name] = data[count * size :]
            else:
                del waiting[name]
        if drops_oldest:
            self._drop_oldest()
        return added

    def _drop_oldest(self) -> None:
        if self._link.outbox.room(self._link.outbox.microphone) < 0:
            self._link.outbox.drop_oldest()

    def _check_pace(self, waiting: dict[str, memoryview]) -> None:
        """Throws if an input is ahead of a microphone that does not come."""
        if "microphone" in waiting:
            return
        for name in waiting:
            if self._link.outbox.is_ahead(name):
                message = f"{name}: seconds ahead of the microphone; feed both at the same pace"
                raise FormatError(message, field=name, reason="AHEAD_OF_MICROPHONE")

    async def _wait(self) -> None:
        if self._plan.is_real_time:
            return await self._link.room()
        try:
            await within(_PATIENCE_SECONDS, self._link.room())
        except asyncio.TimeoutError:
            if not self._link.inbox.output.is_full:
                return
            message = "10 s of output wait to be read; read in another task while you feed, or use process()"
            raise AnechoicError(message, reason="OUTPUT_NOT_READ") from None


def _is_empty(audio: Audio) -> bool:
    try:
        return len(audio) == 0
    except TypeError:
        return False  # The conversion says what is wrong.


def _bytes(plan: Plan, name: str, audio: Audio) -> memoryview:
    """Returns the audio as bytes of the announced format. Throws if the session does not have the input."""
    format = plan.inputs.get(name)
    if format is None:
        far_end = far_end_of(name)
        option = f"{name}=" if far_end is None else f"far_ends={{{far_end!r}: "
        end = "" if far_end is None else "}"
        message = f"{name}: the session has no such input; announce it: Session(…, {option}Format(16000){end})"
        raise FormatError(message, field=name)
    return memoryview(format.to_bytes(audio, name)).cast("B")


async def slices(plan: Plan, microphone: Audio, reference: Audio = b"") -> AsyncIterator[dict[str, Audio]]:
    """Yields a recording in slices of 20 ms: at its own pace in real time, and otherwise at once.

    A reference that is shorter than the microphone is continued with silence; a longer one is cut.
    """
    loop = asyncio.get_running_loop()
    began, position = loop.time(), 0
    mic = _bytes(plan, "microphone", microphone)
    ref = None if _is_empty(reference) else _bytes(plan, "reference", reference)
    rate, size = plan.inputs["microphone"].rate, plan.inputs["microphone"].frame_bytes
    total = len(mic) // size
    while position < total:
        end = min(position + rate // 50, total)
        pieces: dict[str, Audio] = {"microphone": mic[position * size : end * size]}
        if ref is not None:
            pieces["reference"] = _piece(plan, ref, position, end)
        if plan.is_real_time:
            await asyncio.sleep(max(0.0, began + end / rate - loop.time()))
        yield pieces
        position = end


def _piece(plan: Plan, reference: memoryview, start: int, end: int) -> bytes:
    format, rate = plan.inputs["reference"], plan.inputs["microphone"].rate
    first, last = start * format.rate // rate, end * format.rate // rate
    data = bytes(reference[first * format.frame_bytes : last * format.frame_bytes])
    return data.ljust((last - first) * format.frame_bytes, b"\0")
