"""Sessions whose connection is lost, or whose server is gone."""

import asyncio

import numpy as np
import pytest
from conftest import Proxy, collect, event, in_loop

import anechoic
from anechoic import Format, Reconnect

MONO = Format(16000)


@in_loop
async def test_a_recording_is_the_same_after_lost_connections(server, microphone, reference):
    mic, ref = microphone.samples, reference.samples
    async with anechoic.Session(server, microphone=MONO, reference=MONO, real_time=False) as session:
        whole = np.concatenate([part.samples async for part in session.process(mic, ref)])
    async with Proxy(server) as proxy:
        async with anechoic.Session(proxy.address, microphone=MONO, reference=MONO, real_time=False) as session:
            session._link.inbox.output._limit = 16000  # The cuts come while audio is still being sent.
            parts, cuts = [], 0
            async for part in session.process(mic, ref):
                parts.append(part.samples)
                if part.first_sample > 70000 * (cuts + 1) and cuts < 2:
                    cuts += 1
                    proxy.cut()
            resumed = [each async for each in session.events() if isinstance(each, anechoic.Resumed)]
            assert session.lost_samples == 0
    assert cuts == 2 and len(resumed) == 2
    assert np.array_equal(whole, np.concatenate(parts))


@in_loop
async def test_a_session_in_real_time_goes_on_with_its_mute_state(server, microphone):
    async with Proxy(server) as proxy, anechoic.Session(proxy.address, microphone=MONO) as session:
        reading = asyncio.create_task(collect(session))
        feeding = asyncio.create_task(feed(session, microphone.samples[:64000]))
        name = session.id
        await session.mute()
        proxy.cut()
        await event(session, anechoic.Reconnecting)
        await event(session, anechoic.Resumed)
        await session.unmute()
        assert session.id == name and not session.is_muted
        await feeding
        await session.finish()
        assert len(await reading) == 64000


@in_loop
async def test_audio_that_grows_too_old_during_an_attempt_is_a_gap(server, microphone):
    """The samples of the session keep the indexes of the microphone."""
    async with Proxy(server) as proxy, anechoic.Session(proxy.address, microphone=MONO) as session:
        reading = asyncio.create_task(collect(session))
        feeding = asyncio.create_task(feed(session, microphone.samples[:96000]))
        await asyncio.sleep(0.5)
        proxy.accepts = False
        proxy.cut()
        await asyncio.sleep(2.2)
        proxy.accepts, proxy.late = True, 0.5
        resumed = await event(session, anechoic.Resumed)
        proxy.late = 0.0
        outbox = session._link.outbox
        kept_from = outbox.microphone.start
        await feeding
        await session.finish()
        assert resumed.sample < kept_from and outbox.base == 0
        assert len(await reading) == 96000


@in_loop
async def test_a_control_without_an_answer_is_sent_again(server, microphone):
    async with Proxy(server) as proxy, anechoic.Session(proxy.address, microphone=MONO) as session:
        feeding = asyncio.create_task(feed(session, microphone.samples[:48000]))
        await session.read(1600)
        proxy.cut()
        await session.mute()
        assert session.is_muted
        await feeding


@in_loop
async def test_a_silent_network_is_noticed(server, microphone):
    policy = Reconnect(silence=0.6)
    async with Proxy(server) as proxy, anechoic.Session(proxy.address, microphone=MONO, reconnect=policy) as session:
        feeding = asyncio.create_task(feed(session, microphone.samples[:64000]))
        await session.read(1600)
        proxy.flowing.clear()
        lost = await event(session, anechoic.Reconnecting)
        assert "does not answer" in str(lost.error)
        proxy.cut()
        proxy.flowing.set()
        await event(session, anechoic.Resumed)
        await feeding


@in_loop
async def test_another_server_takes_over(start_server, microphone):
    servers = [start_server(), start_server()]
    policy = Reconnect(loyalty=0.2)
    async with anechoic.Session(
        [each.address for each in servers], microphone=MONO, muted=True, reconnect=policy
    ) as session:
        first = session.id
        reading = asyncio.create_task(collect(session))
        feeding = asyncio.create_task(feed(session, microphone.samples[:64000]))
        await asyncio.sleep(0.5)
        servers[0].stop()
        again = await event(session, anechoic.Restarted)
        await feeding
        await session.finish()
        voice = await reading
    assert again.sample >= 0 and session.id == first and session.is_muted
    assert len(voice) == 64000 and not voice.any()


@in_loop
async def test_an_error_of_the_program_while_reconnecting_is_told(server, microphone):
    tokens = iter(["first"])

    async with Proxy(server) as proxy, anechoic.Connection(proxy.address, token=lambda: next(tokens)) as connection:
        async with anechoic.Session(connection, microphone=MONO) as session:
            await session.feed(microphone.samples[:1600])
            await session.read(160)
            proxy.cut()
            with pytest.raises(anechoic.Unauthenticated, match="token: the function failed: StopIteration"):
                await collect(session)


@in_loop
async def test_a_server_that_stays_away_ends_the_session(start_server, microphone):
    server = start_server()
    policy = Reconnect(longest_outage=0.5)
    async with anechoic.Session(server.address, microphone=MONO, reconnect=policy) as session:
        await session.feed(microphone.samples[:1600])
        server.stop()
        with pytest.raises(anechoic.ConnectionLost, match="the connection was lost"):
            await collect(session)
        with pytest.raises(anechoic.ConnectionLost):
            await session.feed(microphone.samples[:1600])
        with pytest.raises(anechoic.ConnectionLost):
            await event(session, anechoic.SessionFinished)


async def feed(session, samples):
    """Feeds samples at the pace of real time."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    for first in range(0, len(samples), 320):
        await asyncio.sleep(max(0.0, began + first / 16000 - loop.time()))
        await session.feed(samples[first:first + 320])
