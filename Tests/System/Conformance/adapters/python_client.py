"""The parts that the adapters of the Python package share: a microphone in real time, and the events of a session."""

from __future__ import annotations

import argparse
import asyncio
import time
from typing import Any, Awaitable, Callable

import numpy as np
from common import labels, microphone, tell

import anechoic
from anechoic.events import MuteChanged, Reconnecting, Restarted, Resumed

FRAME = 0.02
"""The seconds of a frame."""


async def capture(
    options: argparse.Namespace, exchange: Callable[[np.ndarray, int], Awaitable[None]],
    mute: Callable[[], None], unmute: Callable[[], None],
) -> None:
    """Passes each frame on at its time, with its rate. Mutes, stalls and changes the rate as the options say."""
    rate, position, passed = options.rate, 0, 0.0
    begin = time.monotonic()
    tell("began")
    while passed < options.seconds - 1e-6:
        at = round(passed * 1000)

        def is_time(when: int | None) -> bool:
            return when is not None and when <= at < when + 1000 * FRAME

        if is_time(options.change_at):
            rate, position = options.change_to, 0
        if options.mute_at and is_time(options.mute_at):  # At 0, the session begins muted.
            mute()
        if options.unmute_at and is_time(options.unmute_at):
            unmute()
        if is_time(options.stall_at):
            await asyncio.sleep(options.stall / 1000)
        count = round(FRAME * rate)
        await exchange(microphone(position, count), rate)
        position += count
        passed += FRAME
        await asyncio.sleep(max(0.0, begin + passed - time.monotonic()))


def server(options: argparse.Namespace) -> list[str]:
    """The addresses of the servers."""
    return [options.server, *([options.second_server] if options.second_server else [])]


def more(options: argparse.Namespace) -> dict[str, Any]:
    """The options of a session that the adapters have in common."""
    values: dict[str, Any] = {"session_id": options.session, "muted": options.mute_at == 0, "engine": options.engine,
                              "labels": labels(options)}
    if options.decide:
        values |= {"on_injection_permission": decide, "on_mute_gesture": decide}
    return values


def decide(event: anechoic.events.Event) -> bool:
    tell("asked", message=type(event).__name__)
    return True


async def tell_events(session: anechoic.Session) -> None:
    """Tells the events of a session until it ends."""
    async for event in session.events():
        if isinstance(event, Reconnecting):
            tell("reconnecting", error=str(event.error))
        elif isinstance(event, Resumed):
            tell("resumed", sample=event.sample)
        elif isinstance(event, Restarted):
            tell("restarted", sample=event.sample, lost_samples=event.lost_samples)
        elif isinstance(event, MuteChanged):
            tell("muted", muted=event.state.muted)
