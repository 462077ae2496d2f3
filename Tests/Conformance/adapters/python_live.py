"""`anechoic.LiveFilter`, the class under the filters of Pipecat and LiveKit. The output is what it returned."""

import asyncio
import logging
import time

from common import arguments, microphone, tell

import anechoic
from anechoic import Format
from anechoic.events import MuteChanged, Reconnecting, Restarted, Resumed


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
            async for event in session.events():
                if isinstance(event, Reconnecting):
                    tell("reconnecting", error=str(event.error))
                elif isinstance(event, Resumed):
                    tell("resumed", sample=event.sample)
                elif isinstance(event, Restarted):
                    tell("restarted", sample=event.sample, lost_samples=event.lost_samples)
                elif isinstance(event, MuteChanged):
                    tell("muted", muted=event.state.muted)
        except anechoic.AnechoicError:
            pass


async def main() -> None:
    options = arguments()
    logging.getLogger("anechoic").addHandler(Tells())
    live = anechoic.LiveFilter(options.server, session_id="conformance", muted=options.mute_at == 0)
    listening = asyncio.create_task(listen(live))
    rate, position, passed, out = options.rate, 0, 0.0, []
    begin = time.monotonic()
    tell("began")
    while passed < options.seconds - 1e-6:
        at = round(passed * 1000)
        if options.change_at is not None and options.change_at <= at < options.change_at + 20:
            rate, position = options.change_to, 0
        if options.mute_at and options.mute_at <= at < options.mute_at + 20:
            live.mute()
        if options.unmute_at and options.unmute_at <= at < options.unmute_at + 20:
            live.unmute()
        if options.stall_at is not None and options.stall_at <= at < options.stall_at + 20:
            await asyncio.sleep(options.stall / 1000)
        frame = microphone(position, rate // 50)
        out.append(live.exchange(frame.tobytes(), Format(rate)))
        position += rate // 50
        passed += 0.02
        await asyncio.sleep(max(0.0, begin + passed - time.monotonic()))
    listening.cancel()
    if live.voice is not None:
        tell("ended", late=live.voice.late_samples, replaced=live.voice.replaced_samples)
    await live.close()
    with open(options.output, "wb") as file:
        file.write(b"".join(out))


asyncio.run(main())
