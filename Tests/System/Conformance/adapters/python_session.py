"""`anechoic.Session` in real time. The output has the microphone's indexes: what never comes is silent."""

import asyncio

import numpy as np
from common import arguments, log, tell
from python_client import capture, more, server, tell_events

import anechoic
from anechoic import Format


async def main() -> None:
    options = arguments()
    output = np.zeros(round(options.seconds * options.rate), "<i2")
    session = anechoic.Session(server(options), microphone=Format(options.rate), **more(options))
    waiting: list = []

    async def receive() -> None:
        async for each in session:
            part = each.samples[: max(0, len(output) - each.first_sample)]
            output[each.first_sample: each.first_sample + len(part)] = part

    async def exchange(frame: np.ndarray, rate: int) -> None:
        await session.feed(frame)

    try:
        async with session:
            tasks = [asyncio.create_task(each) for each in (receive(), tell_events(session))]
            try:
                await capture(
                    options, exchange, lambda: waiting.append(asyncio.create_task(session.mute())),
                    lambda: waiting.append(asyncio.create_task(session.unmute())))
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
