"""The connection of a channel, before a call uses it."""

from __future__ import annotations

import asyncio

import grpc
import grpc.aio


async def connect_once(channel: grpc.aio.Channel) -> bool:
    """Connects a channel, if it is not connected. Returns false if the server has closed the connection at once.

    Returns true also if there is no connection: a call then ends at once, and its status says why.

    libgrpc counts a connection as a success that the server closes as soon as it has accepted it, such as a proxy that
    drains. A call that waits for its connection makes libgrpc connect again at once, and without end.
    """
    state = channel.get_state()
    if state is grpc.ChannelConnectivity.IDLE:
        changing = asyncio.ensure_future(channel.wait_for_state_change(state))
        try:
            await asyncio.sleep(0)  # A connection that comes and goes before this watch begins would not be noticed.
            channel.get_state(try_to_connect=True)
            await changing
        finally:
            changing.cancel()
        state = channel.get_state()
    while state is grpc.ChannelConnectivity.CONNECTING:
        await channel.wait_for_state_change(state)
        state = channel.get_state()
    return state in (grpc.ChannelConnectivity.READY, grpc.ChannelConnectivity.TRANSIENT_FAILURE)


def is_connecting(channel: grpc.aio.Channel) -> bool:
    """Whether the calls of a channel wait for a connection."""
    return channel.get_state() is grpc.ChannelConnectivity.CONNECTING
