"""A media client that keeps a call open across servers: it starts anew when it loses its session."""

import asyncio
import datetime
import time

import grpc

from anechoic.v1 import audio_pb2, sessions_pb2 as control, sessions_pb2_grpc
from anechoic.v1 import voice_processing_pb2 as api, voice_processing_pb2_grpc

CHUNK_SECONDS = 0.1
RATE = 16_000
CHUNK = bytes(2 * int(RATE * CHUNK_SECONDS))
FORMAT = audio_pb2.AudioFormat(
    encoding=audio_pb2.AUDIO_ENCODING_PCM_S16LE, sample_rate_hz=RATE, channel_count=1)


def key(session):
    """The header by which the proxy finds the server of a session."""
    return (("anechoic-session", session),)


class MediaClient:
    """One person's call. Its sessions are NAME-1, NAME-2, and so on.

    When its server drains, a client that leaves starts a new session at once. Another client waits
    until the server ends its session.
    """

    def __init__(self, address, name, leaves):
        self.leaves = leaves
        # A connection of its own, as a client on another machine has.
        self.channel = grpc.aio.insecure_channel(
            address, options=[("grpc.use_local_subchannel_pool", 1),
                              ("grpc.max_reconnect_backoff_ms", 500)])
        self.name = name
        self.number = 0
        self.session = None  # The id of the session that runs.
        self.moves = []  # (cause, seconds without audio)
        self.refusals = []
        self.holes = 0  # Samples that are missing within sessions.
        self.heard = time.monotonic()
        self.isOver = False

    async def run(self):
        cause = None
        while not self.isOver:
            self.number += 1
            session = f"{self.name}-{self.number}"
            try:
                cause = await self.hold(session, cause) or cause
            except grpc.aio.AioRpcError as error:
                if self.session == session:
                    cause = error.details().split(":")[0][:60] or error.code().name
                else:
                    self.refusals.append(f"{error.code().name} {error.details()}"[:80])
                    await asyncio.sleep(0.2)
            self.session = None
        await self.channel.close()

    async def hold(self, session, cause):
        """Runs one session to its end. Returns the reason to start another."""
        request = api.Start(session_id=session, pacing=api.PACING_REAL_TIME)
        request.inputs.microphone.CopyFrom(FORMAT)
        request.outputs.chunk_duration.FromTimedelta(datetime.timedelta(seconds=CHUNK_SECONDS))
        service = voice_processing_pb2_grpc.VoiceProcessingServiceStub(self.channel)
        call = service.Process(metadata=key(session))
        await call.write(api.ProcessRequest(start=request))
        sending = None
        leaving = asyncio.Event()
        next_sample = 0
        reason = None
        try:
            async for response in call:
                if response.HasField("started"):
                    self.session = session
                    sending = asyncio.create_task(self.send(call, leaving))
                elif response.HasField("audio"):
                    chunk = response.audio.processed
                    self.holes += abs(chunk.first_sample - next_sample)
                    next_sample = chunk.first_sample + len(chunk.samples) // 2
                    now = time.monotonic()
                    if cause:
                        self.moves.append((cause, now - self.heard))
                        cause = None
                    self.heard = now
                elif (self.leaves and response.HasField("event")
                      and response.event.HasField("draining")):
                    # Another server takes the call over. This session ends itself, with all its audio.
                    # The sender stops by itself: a cancelled write would cancel the call.
                    reason = "draining"
                    leaving.set()
            return reason
        finally:
            if sending:
                sending.cancel()

    async def send(self, call, leaving):
        began = time.monotonic()
        chunks = 0
        try:
            while not (self.isOver or leaving.is_set()):
                request = api.ProcessRequest()
                request.audio.microphone.samples = CHUNK
                await call.write(request)
                chunks += 1
                await asyncio.sleep(max(0, began + chunks * CHUNK_SECONDS - time.monotonic()))
            await call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError):
            pass  # The reader gets the status.


class Operator:
    """A second client that controls sessions through the proxy."""

    def __init__(self, address):
        self.channel = grpc.aio.insecure_channel(
            address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.service = sessions_pb2_grpc.SessionServiceStub(self.channel)
        self.found = 0
        self.lost = []

    async def visit(self, client):
        """Reads and mutes the session of a client. Notes whether it was found."""
        session = client.session
        if session is None:
            return
        name = f"sessions/{session}"
        try:
            await self.service.GetSession(
                control.GetSessionRequest(name=name), metadata=key(session), timeout=5)
            await self.service.SetMute(
                control.SetMuteRequest(name=name, muted=True), metadata=key(session), timeout=5)
            self.found += 2
        except grpc.aio.AioRpcError as error:
            # A session that has ended is no failure of the proxy. Its client may not know yet.
            await asyncio.sleep(0.5)
            if client.session == session:
                self.lost.append(f"{session}: {error.code().name} {error.details()}"[:120])


async def sessions_of(address):
    """The number of sessions of one server, asked directly."""
    async with grpc.aio.insecure_channel(address) as channel:
        service = sessions_pb2_grpc.SessionServiceStub(channel)
        page = await service.ListSessions(control.ListSessionsRequest(page_size=1000), timeout=5)
        return len(page.sessions)
