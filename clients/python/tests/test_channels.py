"""A connection that sessions share, while the server refuses the starts of some."""

import asyncio

import grpc
import numpy as np
import pytest
from conftest import in_loop
from hostile import HostileServer
from test_hostile import until

import anechoic
from anechoic import Format
from anechoic._methods import WATCH_SESSION

MONO = Format(16000)
REFUSED_STARTS = 12


def watched_until(end):
    """The method that watches a session: it answers once, and ends with an event."""

    async def watch(_, context):
        await context.write(WATCH_SESSION.response())
        await end.wait()

    return {WATCH_SESSION.path: grpc.unary_stream_rpc_method_handler(
        watch, request_deserializer=WATCH_SESSION.request.FromString,
        response_serializer=WATCH_SESSION.response.SerializeToString)}


async def is_refused(connection, count):
    for _ in range(count):
        with pytest.raises(anechoic.ServerUnavailable):
            await anechoic.Session(connection, microphone=MONO).open()


@pytest.mark.parametrize("reason", ["DRAINING", "SERVER_SHUTDOWN", ""])
@in_loop
async def test_refused_starts_do_not_end_other_calls(reason):
    async def script(call):
        if len(server.starts) > 1:
            return await call.end("UNAVAILABLE", reason)
        await call.accept()
        await call.serve()

    async def watch(sessions):
        async for each in sessions.watch("desk"):
            seen.append(each)

    seen, end = [], asyncio.Event()
    async with HostileServer(script, **watched_until(end)) as server:
        async with anechoic.Connection(server.address, connect_timeout=0) as connection:
            async with anechoic.Session(connection, microphone=MONO, real_time=False) as session:
                watching = asyncio.create_task(watch(anechoic.Sessions(connection)))
                await asyncio.sleep(0.1)
                await is_refused(connection, REFUSED_STARTS)
                await session.feed(np.ones(320, np.int16))
                assert len(await session.read(320)) == 320
                assert not watching.done() and len(server.starts) == 1 + REFUSED_STARTS
                await session.finish()
            end.set()
            await watching


@in_loop
async def test_a_channel_is_closed_after_its_last_call():
    async def script(call):
        if len(server.starts) % 2 == 0:
            return await call.end("UNAVAILABLE", "DRAINING")
        await call.accept()
        await call.serve()

    async with HostileServer(script) as server, anechoic.Connection(server.address, connect_timeout=0) as connection:
        channels, sessions = [], []
        for _ in range(6):
            sessions.append(anechoic.Session(connection, microphone=MONO))
            await sessions[-1].open()
            channels.append(connection.channel)
            await is_refused(connection, 1)
        assert len({*channels}) == 6
        for number in (2, 0, 1, 5, 4, 3):
            assert channels[number].get_state() is grpc.ChannelConnectivity.READY
            await sessions[number].__aexit__(None, None, None)
            await until(lambda: channels[number].get_state() is grpc.ChannelConnectivity.SHUTDOWN)


def test_a_connection_works_in_each_event_loop(server):
    async def processed():
        async with anechoic.Session(connection, microphone=MONO, real_time=False) as session:
            await session.feed(bytes(640))
            assert session.id in [each.id async for each in anechoic.Sessions(connection).list()]
            await session.finish()
            assert len(await session.read(320)) == 320
        return connection.channel

    connection = anechoic.Connection(server)
    asyncio.run(connection.connect())
    assert asyncio.run(processed()) is not asyncio.run(processed())
    for _ in range(2):
        with anechoic.blocking.Session(connection, microphone=MONO) as outer:
            with anechoic.blocking.Session(connection, microphone=MONO) as inner:
                assert outer.id != inner.id
    asyncio.run(processed())
    assert len(connection._channels_of_loops._channels) == 1  # Those of closed loops are dropped.
    asyncio.run(connection.close())
    asyncio.run(processed())


@in_loop
async def test_a_channel_without_calls_is_closed_at_once():
    async def script(call):
        await call.end("UNAVAILABLE", "DRAINING")

    async with HostileServer(script) as server, anechoic.Connection(server.address, connect_timeout=0) as connection:
        for _ in range(3):
            channel = connection.channel
            await is_refused(connection, 1)
            await until(lambda: channel.get_state() is grpc.ChannelConnectivity.SHUTDOWN)
