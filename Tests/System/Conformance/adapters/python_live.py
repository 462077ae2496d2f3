"""`anechoic.LiveFilter`, the class under the filters of Pipecat and LiveKit. The output is what it returned."""

import asyncio
import logging

import numpy as np
from common import arguments, tell
from python_client import capture, more, server, tell_events

import anechoic
from anechoic import Format


class Tells(logging.Handler):
    """Tells each error that the filter reports."""

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        tell("late" if "late" in text else "lost", message=text)


async def listen(live: anechoic.LiveFilter) -> None:
    """Tells the events of each session."""
    heard = None
    while True:
        session = live.session
        if session is heard or session is None:
            await asyncio.sleep(0.01)
            continue
        heard = session
        try:
            await tell_events(session)
        except anechoic.AnechoicError:
            pass


async def main() -> None:
    options = arguments()
    logging.getLogger("anechoic").addHandler(Tells())
    on_loss = "silence" if options.fallback == "silence" else "raw"
    live = anechoic.LiveFilter(server(options), on_loss=on_loss, **more(options))
    listening = asyncio.create_task(listen(live))
    out = []

    async def exchange(frame: np.ndarray, rate: int) -> None:
        out.append(live.exchange(frame.tobytes(), Format(rate)))

    await capture(options, exchange, live.mute, live.unmute)
    listening.cancel()
    if live.voice is not None:
        tell("ended", late=live.voice.late_samples, replaced=live.voice.replaced_samples)
    await live.close()
    with open(options.output, "wb") as file:
        file.write(b"".join(out))


asyncio.run(main())
