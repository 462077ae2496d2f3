"""A server, such as a proxy that drains, that accepts each connection and closes it with GOAWAY."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from conftest import in_loop
from hostile import RawServer

import anechoic
from anechoic import Format

MONO = Format(16000)
SETTINGS = b"\0\0\0\4\0\0\0\0\0"
MOST_CONNECTIONS = 20
"""The connections of a call that is tried again for a second, each 200 ms. Each of its six attempts may meet a
connection that closes between the look at it and the call, which then makes another one. Without a limit, there were
hundreds."""


def goaway(last_stream):
    """The frame of HTTP/2, without an error."""
    return b"\0\0\x08\7\0\0\0\0\0" + last_stream.to_bytes(4, "big") + bytes(4)


@asynccontextmanager
async def connection_to_a_proxy_that_drains():
    """A connection that gives up after a second, and the proxy."""
    async with RawServer(SETTINGS + goaway(0)) as draining:
        connection = anechoic.Connection(draining.address, connect_timeout=1.0)
        yield connection, draining
        await connection.close()


@pytest.mark.parametrize("last_stream", [0, 2**31 - 1])
@in_loop
async def test_each_attempt_of_a_filter_uses_one_connection(last_stream):
    async with RawServer(SETTINGS + goaway(last_stream)) as draining:
        live = anechoic.LiveFilter(draining.address)
        loop = asyncio.get_running_loop()
        end = loop.time() + 3
        while loop.time() < end:
            live.exchange(bytes(640), MONO)
            await asyncio.sleep(0.02)
        await live.close()
    # The pauses are 100, 200, 400, 500, 500 and 500 ms, and up to 30 % less. Without them, there were hundreds.
    assert 5 <= draining.connections <= 14, draining.connections


@in_loop
async def test_a_session_is_not_opened():
    async with connection_to_a_proxy_that_drains() as (connection, draining):
        with pytest.raises(anechoic.ServerUnavailable, match=f"^{draining.address}: "):
            await anechoic.Session(connection, microphone=MONO).open()
    assert 1 <= draining.connections <= MOST_CONNECTIONS, draining.connections


@in_loop
async def test_other_calls_are_not_repeated_without_end():
    async with connection_to_a_proxy_that_drains() as (connection, draining):
        sessions = anechoic.Sessions(connection)
        with pytest.raises(anechoic.ServerUnavailable, match="the server has closed the connection"):
            _ = [each async for each in sessions.list()]
        with pytest.raises(anechoic.ServerUnavailable, match="the server has closed the connection"):
            async for _ in sessions.watch("desk"):
                pass
    assert 2 <= draining.connections <= 2 * MOST_CONNECTIONS, draining.connections
