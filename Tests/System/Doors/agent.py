"""Sends silence through Anechoic's filter for Pipecat until the first processed frame comes back."""

import asyncio
import sys
import time

from anechoic.pipecat import AnechoicFilter


async def main() -> int:
    voice = AnechoicFilter(sys.argv[1])
    await voice.start(16000)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        replaced = voice.live.replaced_samples
        await voice.filter(bytes(640))
        # Without a session, each frame that passes as it is counts as replaced.
        if voice.live.session is not None and voice.live.replaced_samples == replaced:
            await voice.stop()
            return 0
        await asyncio.sleep(0.02)
    print("no processed sound within 60 s", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
