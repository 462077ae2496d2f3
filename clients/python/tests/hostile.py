"""A server without manners: each test says what it answers."""

from __future__ import annotations

import asyncio

import grpc
import grpc.aio

from anechoic.rpc import error_details_pb2, status_pb2
from anechoic.v1 import voice_processing_pb2 as api

PROCESS = "/anechoic.v1.VoiceProcessingService/Process"


def faults(caplog):
    """Returns the bugs in a log: a failed session, an exception that nobody saw, a task that was destroyed.

    Lines of grpc about bytes that are no message, or about an event loop that has closed, are no fault of the package.
    """
    # `caplog.records` has only those of the present phase, such as the end of a fixture.
    records = [each for phase in ("setup", "call", "teardown") for each in caplog.get_records(phase)]
    texts = [f"{each.getMessage()} {each.exc_text or ''}" for each in records
             if each.name == "asyncio" or (each.name == "anechoic" and each.exc_info)]
    return [each for each in texts if "cygrpc" not in each and "PollerCompletionQueue" not in each]


class RawServer:
    """A TCP server that answers each connection with bytes, and closes it. Without bytes, it keeps it and is silent."""

    def __init__(self, answer=b""):
        self.answer, self.connections = answer, 0

    async def __aenter__(self):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_):
        self._server.close()

    async def _accept(self, reader, writer):
        self.connections += 1
        try:
            writer.write(self.answer() if callable(self.answer) else self.answer)
            while await reader.read(65536) and not self.answer:
                pass
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


class Call:
    """A call of a client. Each message may be wrong, or no message at all."""

    def __init__(self, context):
        self.context = context
        self.start = None
        self.heard = 0
        """The samples of the microphone that have arrived."""

    async def read(self):
        """Returns the next request, or None at the end."""
        request = await self.context.read()
        if request is grpc.aio.EOF:
            return None
        if request.HasField("audio"):
            chunk, format = request.audio.microphone, self.start.inputs.microphone
            size = (4 if format.encoding == 2 else 2) * format.channel_count
            self.heard = chunk.first_sample + len(chunk.samples) // size
        return request

    async def write(self, response=None, **fields):
        data = response if isinstance(response, bytes) else (
            response or api.ProcessResponse(**fields)).SerializeToString()
        await self.context.write(data)

    async def accept(self, **fields):
        """Answers the start as a good server does, but for some fields."""
        started = api.Started(session=f"sessions/{self.start.session_id}", resume_token=b"0123456789abcdef")
        started.resume_window.seconds = 10
        started.mute.muted = self.start.muted
        if self.start.resume_token:
            started.resumed.microphone_sample = self.start.resume_point.microphone_sample
        for name, value in fields.items():
            if isinstance(value, (bytes, str)):
                setattr(started, name, value)
            else:
                getattr(started, name).CopyFrom(value)
        await self.write(started=started)

    async def audio(self, first, samples, **fields):
        """Sends output."""
        response = api.ProcessResponse()
        response.audio.processed.first_sample = first
        response.audio.processed.samples = samples
        for name, value in fields.items():
            getattr(response.audio, name).CopyFrom(value)
        await self.write(response)

    async def serve(self, chunk=320):
        """Returns the microphone as it is, until the input ends."""
        done = self.heard
        while (request := await self.read()) is not None:
            if request.HasField("audio"):
                await self.audio(request.audio.microphone.first_sample, request.audio.microphone.samples)
            elif request.HasField("control"):
                await self.answer(request.control)
        return done

    async def answer(self, control, refusal=None):
        response = api.ProcessResponse()
        response.control_result.control_id = control.control_id
        response.control_result.applied_at_sample = self.heard
        if refusal is not None:
            code, reason = refusal
            response.control_result.refusal.code = grpc.StatusCode[code].value[0]
            response.control_result.refusal.reason = reason
        await self.write(response)

    async def end(self, code, reason="", retry_after=None, details=None):
        """Ends the call with a status."""
        status = status_pb2.Status(code=grpc.StatusCode[code].value[0], message=reason)
        if reason:
            info = error_details_pb2.ErrorInfo(reason=reason, domain="anechoic")
            status.details.add(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=info.SerializeToString())
        if retry_after is not None:
            info = error_details_pb2.RetryInfo()
            info.retry_delay.seconds = retry_after
            status.details.add(type_url="type.googleapis.com/google.rpc.RetryInfo", value=info.SerializeToString())
        data = status.SerializeToString() if details is None else details
        trailing = (("grpc-status-details-bin", data),) if status.details or details is not None else ()
        await self.context.abort(grpc.StatusCode[code], reason, trailing)


class HostileServer:
    """Runs a function for each call of `Process`. `starts` has the start of each."""

    def __init__(self, script, **methods):
        self.script, self.methods = script, methods
        self.starts, self.times, self.calls = [], [], []

    async def __aenter__(self):
        self.server = grpc.aio.server(options=[("grpc.max_send_message_length", -1)])

        async def run(_, context):
            call = Call(context)
            request = await context.read()
            if request is grpc.aio.EOF:
                return
            call.start = request.start
            self.starts.append(request.start)
            self.times.append(asyncio.get_running_loop().time())
            self.calls.append(call)
            await self.script(call)

        handlers = {PROCESS: grpc.stream_stream_rpc_method_handler(
            run, request_deserializer=api.ProcessRequest.FromString, response_serializer=None)}
        handlers.update(self.methods)

        class Handler(grpc.GenericRpcHandler):
            def service(self, details):
                return handlers.get(details.method)

        self.server.add_generic_rpc_handlers((Handler(),))
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        await self.server.start()
        return self

    async def __aexit__(self, *_):
        await self.server.stop(0)
