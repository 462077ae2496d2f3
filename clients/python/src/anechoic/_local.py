"""A server for scripts on a machine where none runs."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import AsyncIterator

import grpc
import grpc.aio

from .errors import ServerUnavailable

_SERVICE = b"anechoic.v1.VoiceProcessingService"
_HEALTH_REQUEST = b"\n" + bytes([len(_SERVICE)]) + _SERVICE
"""A HealthCheckRequest, which has one field. A server without this service answers NOT_FOUND."""
_ANSWER_SECONDS = 2.0
_START_SECONDS = 30.0
_STOP_SECONDS = 10.0


def server_program() -> str:
    """Returns the path of `anechoic-server`: that of the variable ANECHOIC_SERVER, or the one on PATH.

    Throws `ServerUnavailable` if there is none.
    """
    program = os.environ.get("ANECHOIC_SERVER") or "anechoic-server"
    found = shutil.which(program)
    if found is None:
        message = (
            f"{program}: not found; install the package anechoic-server, or build it (swift build --product "
            "anechoic-server) and set ANECHOIC_SERVER to its path (.build/debug/anechoic-server), or name a server "
            "that runs (--server)")
        raise ServerUnavailable(message, reason="NO_SERVER_PROGRAM")
    return found


@asynccontextmanager
async def local_server(*options: str) -> AsyncIterator[str]:
    """Starts `anechoic-server` on a Unix socket that only this user can reach, and yields its address.

    The server stops at the end. `options` are further options of the program.
    """
    program = server_program()
    with tempfile.TemporaryDirectory(prefix="anechoic-") as folder:
        address = f"unix:{folder}/server.sock"
        log = Path(folder) / "log"
        # The settings of a service on this machine are not meant for this server.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("ANECHOIC_")}
        with log.open("wb") as output:
            process = await asyncio.create_subprocess_exec(
                program, "--config", os.devnull, "--listen", address, "--admin-listen", "off", "--http-listen", "off",
                *options, stdin=asyncio.subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
            )
        try:
            await _wait_for(process, address, log)
            yield address
        finally:
            await _stop(process)


async def find_server(address: str) -> bool:
    """Whether an Anechoic server answers at an address. It needs no credentials for that."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)]
    async with grpc.aio.insecure_channel(address, options) as channel:
        try:
            await channel.unary_unary("/grpc.health.v1.Health/Check")(_HEALTH_REQUEST, timeout=_ANSWER_SECONDS)
            return True
        except grpc.RpcError:
            return False


async def _wait_for(process: asyncio.subprocess.Process, address: str, log: Path) -> None:
    deadline = asyncio.get_running_loop().time() + _START_SECONDS
    socket = Path(address.removeprefix("unix:"))
    while not (socket.exists() and await find_server(address)):
        if process.returncode is not None or asyncio.get_running_loop().time() > deadline:
            lines = log.read_text(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else "it said nothing"
            raise ServerUnavailable(f"anechoic-server did not start: {reason}", reason="SERVER_NOT_STARTED")
        await asyncio.sleep(0.02)


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    with suppress(ProcessLookupError):  # It may have ended by itself.
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _STOP_SECONDS)
        except asyncio.TimeoutError:
            process.kill()
            await process.wait()
