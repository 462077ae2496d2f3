#!/usr/bin/python3
"""Forwards the connections to one unix socket to another one, so that a script can cut them."""

import asyncio
import sys


async def copy(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


async def main(listen, target):
    async def forward(reader, writer):
        there = await asyncio.open_unix_connection(target)
        await asyncio.gather(copy(reader, there[1]), copy(there[0], writer))

    server = await asyncio.start_unix_server(forward, listen)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))
