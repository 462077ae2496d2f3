"""The call of a real edge agent."""

import asyncio
import subprocess
from pathlib import Path

import anechoic
import pytest
from anechoic import errors
from anechoic.enums import InjectionPermission, PolarPattern
from conftest import in_loop, server_program


@pytest.fixture
def agent(tmp_path, server):
    program = Path(server_program()).with_name("anechoic-edge")
    if not program.exists():
        pytest.skip("anechoic-edge is not built")
    socket = tmp_path / "agent"
    process = subprocess.Popen(
        [program, "run", "--server", server, "--input", "null", "--output", "null", "--voice", f"fifo:{tmp_path}/voice",
         "--calls", "request", "--control-socket", socket, "--session-id", tmp_path.name],
        stderr=subprocess.DEVNULL)
    yield socket
    process.terminate()
    process.wait()


async def connected(socket):
    """The agent, once it answers: its socket exists before it listens."""
    while True:
        edge = anechoic.EdgeAgent(socket)
        try:
            await edge.call()
            return edge
        except errors.ServerUnavailable:
            await asyncio.sleep(0.05)


@in_loop
async def test_a_call_is_begun_and_ended(agent):
    async with await connected(agent) as edge:
        assert await edge.call() == anechoic.CallState(False, None, ())
        call = await edge.begin_call("softphone")
        assert call.active and call.begin_time is not None and call.holders == ("softphone",)
        with pytest.raises(errors.NotFound):
            await edge.end_call("browser")
        assert not (await edge.end_call("softphone")).active


@in_loop
async def test_a_call_is_held_while_a_block_runs(agent):
    async with await connected(agent) as edge:
        with pytest.raises(ZeroDivisionError):
            async with edge.hold_call("robot"):
                assert (await edge.call()).holders == ("robot",)
                1 / 0
        while (await edge.call()).active:
            await asyncio.sleep(0.01)


@in_loop
async def test_wrong_holders_are_refused(agent):
    async with await connected(agent) as edge:
        for holder in ("", "\x07", "a" * 101):
            with pytest.raises(errors.InvalidRequest):
                await edge.begin_call(holder)
            with pytest.raises(errors.InvalidRequest):
                async with edge.hold_call(holder):
                    pass
        with pytest.raises(errors.InvalidRequest):
            await edge.begin_call(7)


@in_loop
async def test_without_an_agent_there_is_an_error(tmp_path):
    with pytest.raises(errors.InvalidRequest):
        anechoic.EdgeAgent("")
    async with anechoic.EdgeAgent(tmp_path / "no") as edge:
        with pytest.raises(errors.ServerUnavailable):
            await edge.call()


@in_loop
async def test_the_person_permits_a_client_that_asks_to_speak(agent, server):
    async with await connected(agent) as edge, anechoic.Sessions(server, client="doorbell") as sessions:
        await edge.begin_call("softphone")
        name = agent.parent.name
        watch = sessions.watch_injection(name)
        while not (await anext(watch)).running:
            pass
        asked = asyncio.create_task(sessions.ask_to_inject(name, "Announces visitors"))
        while not (requests := await edge.injection_requests()):
            await asyncio.sleep(0.01)
        assert requests == [anechoic.InjectionRequest("doorbell", "Announces visitors")]
        await edge.decide_injection("doorbell", True)
        assert await asked is InjectionPermission.GRANTED
        with pytest.raises(errors.NotFound):
            await edge.decide_injection("eve", True)
        await watch.aclose()


@in_loop
async def test_the_person_turns_the_head_and_the_device(agent):
    async with await connected(agent) as edge:
        async def poses(*angles):
            for pose in angles:
                yield pose

        await edge.turn_head(poses((90, 0, 0), (0, 0, 0)))
        with pytest.raises(errors.InvalidRequest):
            await edge.turn_head(poses((float("nan"), 0, 0)))
        with pytest.raises(errors.InvalidRequest):
            await edge.turn_head(poses((400, 0, 0)))
        with pytest.raises(errors.Refused):  # The agent has one microphone.
            await edge.set_up_microphone(PolarPattern.STEREO, turned=True)
        with pytest.raises(errors.InvalidRequest):
            await edge.set_up_microphone("wide")
