"""The call of a real edge agent."""

import asyncio
import subprocess
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import anechoic
import grpc
import grpc.aio
import numpy as np
import pytest
from anechoic import _methods, errors
from anechoic.enums import EnrollmentFailure, InjectionPermission, PolarPattern, VoiceEnrollment
from anechoic.v1 import edge_pb2
from conftest import in_loop, server_program


class Agent:
    """An edge agent that can be started again."""

    def __init__(self, folder, server):
        program = Path(server_program()).with_name("anechoic-edge")
        if not program.exists():
            pytest.skip("anechoic-edge is not built")
        self.socket = folder / "agent"
        self._command = [
            program, "run", "--server", server, "--input", "null", "--output", "null",
            "--voice", f"fifo:{folder}/voice", "--calls", "request", "--spare-far-ends", "1",
            "--control-socket", self.socket, "--session-id", folder.name]

    def start(self):
        self._process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)

    def stop(self):
        self._process.terminate()
        self._process.wait()


@pytest.fixture
def running(tmp_path, server):
    agent = Agent(tmp_path, server)
    agent.start()
    yield agent
    agent.stop()


@pytest.fixture
def agent(running):
    return running.socket


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
async def test_a_call_is_held_again_by_an_agent_that_comes_back(running):
    async with await connected(running.socket) as edge:
        async with edge.hold_call("robot"):
            running.stop()
            running.start()
            async with await connected(running.socket) as other:
                while (await other.call()).holders != ("robot",):
                    await asyncio.sleep(0.05)
        while (await edge.call()).active:
            await asyncio.sleep(0.01)


@asynccontextmanager
async def fake_agent(folder, holders):
    """An agent in a folder that can only hold calls, and counts them."""
    method = _methods.HOLD_CALL

    async def hold(request, context):
        holders.append(request.holder)
        await context.write(method.response())
        await asyncio.Event().wait()

    handler = grpc.unary_stream_rpc_method_handler(
        hold, request_deserializer=method.request.FromString,
        response_serializer=method.response.SerializeToString)

    class Handler(grpc.GenericRpcHandler):
        def service(self, details):
            return handler if details.method == method.path else None

    server = grpc.aio.server()
    server.add_generic_rpc_handlers((Handler(),))
    server.add_insecure_port(f"unix:{folder}/control.sock")
    await server.start()
    try:
        yield
    finally:
        await server.stop(0)
        (folder / "control.sock").unlink(missing_ok=True)


@in_loop
async def test_a_call_is_held_again_by_an_agent_that_comes_at_another_default_place(tmp_path, monkeypatch):
    own, service, holders = tmp_path / "own", tmp_path / "service", []
    own.mkdir()
    service.mkdir()
    monkeypatch.setattr("anechoic.edge._default_sockets", lambda: [f"{each}/control.sock" for each in (own, service)])
    monkeypatch.setattr("anechoic.edge._HOLD_SECONDS", 0.05)
    edge = anechoic.EdgeAgent()  # Before there is an agent.
    async with edge, AsyncExitStack() as stack:
        async with fake_agent(service, holders):
            await stack.enter_async_context(edge.hold_call("robot"))
        for folder in (own, service):
            holders.clear()
            async with fake_agent(folder, holders):
                while holders != ["robot"]:
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
        # An answer may come before the question.
        await edge.decide_injection("intercom", True)
        async with anechoic.Sessions(server, client="intercom") as intercom:
            assert await intercom.ask_to_inject(name, "Announces the door") is InjectionPermission.GRANTED
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


@in_loop
async def test_the_person_lets_the_agent_learn_a_voice(agent):
    async with await connected(agent) as edge:
        assert await edge.kept_voice() == anechoic.KeptVoice(VoiceEnrollment.NONE, EnrollmentFailure.UNSPECIFIED, "")
        with pytest.raises(errors.Refused):
            await edge.enroll_voice()
        await edge.begin_call("softphone")
        for _ in range(500):
            try:
                assert (await edge.enroll_voice()).enrollment is VoiceEnrollment.ENROLLING
                break
            except errors.Refused:
                await asyncio.sleep(0.01)
        # The microphone is silent, so that nothing is learnt.
        assert (await edge.kept_voice()).enrollment is VoiceEnrollment.ENROLLING
        assert (await edge.forget_voice()).enrollment is VoiceEnrollment.NONE


async def plays(edge, name):
    """Waits until a program plays a far end of this name."""
    while True:
        response = await edge._connection.unary(_methods.GET_EDGE_STATUS, edge_pb2.GetEdgeStatusRequest())
        if any(far_end.playing and far_end.name == name for far_end in response.status.far_ends):
            return
        await asyncio.sleep(0.01)


@in_loop
async def test_programs_play_far_ends_by_name(agent):
    async with await connected(agent) as edge:
        await edge.begin_call("softphone")
        async def speech():
            yield np.zeros(480, np.float32)
            yield anechoic.Source("alice", azimuth=-45)
            for _ in range(50):
                yield np.full(480, 0.1, np.float32)
                await asyncio.sleep(0.01)

        alice = asyncio.create_task(edge.play_far_end(
            "alice", anechoic.Format(48000), speech(), place=anechoic.Source("alice", azimuth=45)))
        await plays(edge, "alice")
        with pytest.raises(errors.AlreadyExists):
            await edge.play_far_end("alice", anechoic.Format(16000), speech())
        with pytest.raises(errors.Overloaded):
            await edge.play_far_end("bob", anechoic.Format(16000), speech())
        assert await alice == 51 * 480
        with pytest.raises(errors.InvalidRequest):
            await edge.play_far_end("a b", anechoic.Format(16000), speech())
        with pytest.raises(errors.InvalidRequest):
            await edge.play_far_end("bob", anechoic.Format(16000), speech(), place=anechoic.Source("bob", distance=0))
        with pytest.raises(errors.InvalidRequest):
            await edge.play_far_end("bob", anechoic.Format(16000, encoding="opus"), speech())
