"""`LiveFilter`: frames in a callback that never waits."""

import asyncio

import numpy as np
from conftest import in_loop

import anechoic
from anechoic import Format

MONO = Format(16000)


class Callback:
    """Exchanges frames of a tone in real time, and keeps what was returned."""

    def __init__(self, live):
        self.live, self.heard = live, []
        self.frame = (np.sin(np.arange(320) * 0.2) * 8000).astype(np.int16).tobytes()

    async def until(self, condition):
        while not await condition():
            self.heard.append(np.frombuffer(self.live.exchange(self.frame, MONO), np.int16))
            await asyncio.sleep(0.02)

    async def frames(self, count):
        """Returns the next frames."""
        self.heard.clear()

        async def are_there():
            return len(self.heard) >= count

        await self.until(are_there)
        return np.concatenate(self.heard)


@in_loop
async def test_a_muted_voice_stays_silent_when_its_server_dies_and_comes_back(start_server):
    server = start_server()
    callback = Callback(anechoic.LiveFilter(server.address))

    async def runs():
        return callback.live.session is not None and callback.live.session.is_connected

    async def is_gone():
        return not callback.live.session.is_connected

    await callback.until(runs)
    assert (await callback.frames(20)).any()
    async with anechoic.Sessions(server.address) as sessions:
        await sessions.mute(callback.live.session.id)
    await callback.frames(20)
    server.stop()
    await callback.until(is_gone)
    assert not (await callback.frames(20)).any()
    start_server(listen=server.address)
    await callback.until(runs)
    assert callback.live.session.is_muted
    assert not (await callback.frames(20)).any()
    await callback.live.close()


@in_loop
async def test_parts_of_samples_wait_for_their_rest():
    live = anechoic.LiveFilter("127.0.0.1:1")
    data = np.arange(1, 3201, dtype=np.int16).tobytes()
    returned = b"".join(live.exchange(data[first:first + 333], MONO) for first in range(0, len(data), 333))
    await live.close()
    assert len(returned) == len(data)
    voice = np.frombuffer(returned, np.int16)
    start = np.flatnonzero(voice)[0]
    assert np.array_equal(voice[start:], np.arange(1, 3201 - start))
