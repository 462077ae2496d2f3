"""`anechoic.Session` in real time. The output has the microphone's indexes: what never comes is silent."""

import asyncio
import time

import numpy as np
from common import arguments, log, microphone, tell

import anechoic
from anechoic import Format
from anechoic.events import MuteChanged, Reconnecting, Restarted, Resumed


async def main() -> None:
    options = arguments()
    rate, frame = options.rate, options.rate // 50
    output = np.zeros(round(options.seconds * rate), "<i2")
    session = anechoic.Session(
        options.server, microphone=Format(rate), session_id="conformance", muted=options.mute_at == 0)

    async def receive() -> None:
        async for each in session:
            part = each.samples[: max(0, len(output) - each.first_sample)]
            output[each.first_sample: each.first_sample + len(part)] = part

    async def listen() -> None:
        async for event in session.events():
            if isinstance(event, Reconnecting):
                tell("reconnecting", error=str(event.error))
            elif isinstance(event, Resumed):
                tell("resumed", sample=event.sample)
            elif isinstance(event, Restarted):
                tell("restarted", sample=event.sample, lost_samples=event.lost_samples)
            elif isinstance(event, MuteChanged):
                tell("muted", muted=event.state.muted)

    async def feed() -> None:
        begin, position = time.monotonic(), 0
        tell("began")
        while position < len(output):
            at = position * 1000 // rate
            for when, change in ((options.mute_at, session.mute), (options.unmute_at, session.unmute)):
                if when and when <= at < when + 20:
                    waiting.append(asyncio.create_task(change()))
            if options.stall_at is not None and options.stall_at <= at < options.stall_at + 20:
                await asyncio.sleep(options.stall / 1000)
            await session.feed(microphone(position, min(frame, len(output) - position)))
            position += frame
            await asyncio.sleep(max(0.0, begin + position / rate - time.monotonic()))

    waiting: list = []
    try:
        async with session:
            tasks = [asyncio.create_task(each()) for each in (receive, listen)]
            try:
                await feed()
                await asyncio.sleep(0.2)
            finally:
                await asyncio.wait_for(session.finish(), 5)
                await asyncio.wait([*tasks, *waiting], timeout=2)
                for each in (*tasks, *waiting):
                    each.cancel()
                await asyncio.gather(*tasks, *waiting, return_exceptions=True)
    except anechoic.AnechoicError as error:
        log(str(error))
        tell("failed", status=error.status, reason=error.reason)
    output.tofile(options.output)


asyncio.run(main())
