"""The status of a call that ends while requests are written."""

import time
from concurrent import futures

import grpc
import grpc.aio
import pytest
from anechoic._writing import finish, write
from anechoic.v1 import sessions_pb2 as api
from conftest import in_loop

METHOD = "/anechoic.test/Refuse"


@pytest.fixture
def refusing():
    """A server that ends each call after its first request."""

    def refuse(requests, context):
        next(requests)
        context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "no room")

    server = grpc.server(futures.ThreadPoolExecutor(2))
    handler = grpc.stream_unary_rpc_method_handler(refuse)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("anechoic.test", {"Refuse": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None)


@in_loop
async def test_the_status_is_that_of_the_server_although_the_loop_was_busy(refusing):
    async with grpc.aio.insecure_channel(refusing) as channel:
        stream = channel.stream_unary(METHOD)()
        assert await write(stream, api.InjectSpeechRequest())
        for _ in range(100):
            time.sleep(0.1)  # The loop does not hear of the end.
            if not await write(stream, api.InjectSpeechRequest()):
                break
        await finish(stream)
        with pytest.raises(grpc.RpcError) as error:
            await stream
        assert (error.value.code(), error.value.details()) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "no room")


@in_loop
async def test_a_call_that_has_ended_takes_no_request(refusing):
    async with grpc.aio.insecure_channel(refusing) as channel:
        stream = channel.stream_unary(METHOD)()
        assert await write(stream, api.InjectSpeechRequest())
        assert await stream.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert not await write(stream, api.InjectSpeechRequest())
        await finish(stream)
