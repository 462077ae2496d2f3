"""`anechoic-bridge realtime` between real clients (the package openai, and plain WebSockets) and an upstream
of the tests."""

import asyncio
import base64
import json
import os
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
from contextlib import AsyncExitStack, asynccontextmanager

import numpy as np
from openai import AsyncOpenAI
from person import Person
from programs import Program, server
from upstream import Upstream
from voices import level, pcm, spoken
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

HEADERS = {"Authorization": "Bearer good"}
BETA = HEADERS | {"OpenAI-Beta": "realtime=v1"}


class Bridge(unittest.IsolatedAsyncioTestCase):
    """A bridge between an upstream and a server."""

    options: tuple[str, ...] = ()
    has_server = True

    async def asyncSetUp(self) -> None:
        self.stack = AsyncExitStack()
        self.upstream = await self.stack.enter_async_context(Upstream())
        self.server = await self.stack.enter_async_context(server()) if self.has_server else None
        self.bridge = await self.stack.enter_async_context(self.program(*self.options))

    async def asyncTearDown(self) -> None:
        await self.stack.aclose()
        if os.environ.get("ANECHOIC_LOGS"):
            print(self.id(), *self.bridge.lines, sep="\n  ")

    def program(self, *options: str) -> Program:
        port = self.server.port if self.server else 1
        return Program("ANECHOIC_BRIDGE", "realtime", "--listen", "127.0.0.1:0", "--upstream",
                       f"ws://127.0.0.1:{self.upstream.port}", "--server", f"127.0.0.1:{port}", *options)

    def url(self, target: str = "/v1/realtime?model=gpt-realtime") -> str:
        return f"ws://127.0.0.1:{self.bridge.port}{target}"

    @property
    def session(self):
        return self.upstream.sessions[-1]

    @asynccontextmanager
    async def person(self, headers: dict = HEADERS, **options):
        async with connect(self.url(), additional_headers=headers, max_size=None) as socket:
            async def send(event: dict) -> None:
                await socket.send(json.dumps(event))

            async def events():
                async for message in socket:
                    yield json.loads(message)

            async with Person(send, events(), **options) as person:
                await person.event("session.created")
                yield person, send

    async def processed(self) -> None:
        await self.bridge.line("processed by ")


class OpenAIClientTests(Bridge):
    """The client of the package openai."""

    async def test_an_answer_does_not_interrupt_itself_and_a_person_does(self) -> None:
        client = AsyncOpenAI(api_key="good", websocket_base_url=f"ws://127.0.0.1:{self.bridge.port}/v1")
        async with client.realtime.connect(model="gpt-realtime") as connection:
            async def events():
                async for event in connection:
                    yield event.to_dict()

            async with Person(connection.send, events()) as person:
                await person.event("session.created")
                await connection.session.update(session={
                    "type": "realtime", "instructions": "Be brief.",
                    "audio": {"input": {"turn_detection": {"type": "server_vad"}}}})
                await person.event("session.updated")
                await self.processed()
                before = len(self.session.heard)
                await connection.response.create()
                await person.event("response.output_audio.delta")
                await asyncio.sleep(6)
                # The echo at the microphone would have started speech.
                echo = person.room.microphone[-4 * 24000:]
                self.assertGreater(level(echo), -36)
                heard = self.session.heard[before:][-3 * 24000:]
                self.assertGreater(level(echo) - level(heard), 15)
                self.assertNotIn("input_audio_buffer.speech_started", person.kinds())
                await self._interrupt(person)

    async def _interrupt(self, person: Person) -> None:
        played = len(person.room.played) / 24
        person.room.say(spoken("Excuse me, what about Sunday?", 24000, "en-gb", 150), after=0.1)
        await person.event("input_audio_buffer.speech_started", 10)
        await person.event("conversation.item.truncated", 5)
        truncation = self.session.events("conversation.item.truncate")[0]
        self.assertEqual(truncation["item_id"], "item_1")
        # The answer began a little before `played` was counted, and the person spoke a little later.
        first = np.flatnonzero(np.abs(person.room.played) > 0.01)[0] / 24
        self.assertAlmostEqual(truncation["audio_end_ms"], len(person.room.played) / 24 - first, delta=600)
        self.assertGreater(truncation["audio_end_ms"], played - first - 100)
        self.assertEqual(self.session.events("response.cancel"), [])
        self.assertNotIn("error", person.kinds())


class PassingTests(Bridge):
    """The messages that pass, and the order of those that follow sound."""

    async def test_all_other_events_pass_unchanged_in_both_directions(self) -> None:
        async with connect(self.url(), additional_headers=BETA) as socket:
            created = json.loads(await socket.recv())
            self.assertEqual(created["session"]["input_audio_format"], "pcm16")
            odd = '{"type": "conversation.item.create", "item": {"x": [1, 2.50, "é/\\u00e9"]}, "event_id": "a"}'
            await socket.send(odd)
            await socket.send("no JSON")
            for _ in range(2):
                self.assertEqual(json.loads(await socket.recv())["type"], "error")
            self.assertEqual(self.session.texts, [odd, "no JSON"])
            self.assertEqual(self.upstream.requests[0].headers["OpenAI-Beta"], "realtime=v1")

    async def test_the_subprotocol_is_that_of_the_upstream(self) -> None:
        offered = ["openai-insecure-api-key.good", "realtime"]
        async with connect(self.url(), additional_headers=HEADERS, subprotocols=offered) as socket:
            self.assertEqual(socket.subprotocol, "realtime")
            await socket.recv()
        self.assertIn("openai-insecure-api-key.good", self.upstream.requests[0].headers["Sec-WebSocket-Protocol"])

    async def test_a_commit_follows_all_of_its_sound(self) -> None:
        voice = spoken("This is all that I have to say.", 24000)
        for block in (0.02, 0.1, 0.5):
            async with connect(self.url(), additional_headers=HEADERS, max_size=None) as socket:
                await socket.recv()
                await socket.send(json.dumps({"type": "session.update", "session": {
                    "type": "realtime", "audio": {"input": {"turn_detection": None}}}}))
                await self._say(socket, voice, block)
                await socket.send('{"type": "input_audio_buffer.commit"}')
                await socket.send('{"type": "response.create"}')
                sent = time.monotonic()
                kinds = [json.loads(await socket.recv())["type"] for _ in range(3)]
                self.assertEqual(kinds, ["session.updated", "input_audio_buffer.committed", "response.created"])
                self.assertLess(time.monotonic() - sent, 0.5 + block)
                self.assertEqual(self.session.commits, [len(voice)])
                self.assertGreater(level(self.session.heard), level(voice) - 6)

    async def _say(self, socket, voice: np.ndarray, block: float) -> None:
        begin, count = time.monotonic(), round(block * 24000)
        for start in range(0, len(voice), count):
            data = base64.b64encode(pcm(voice[start: start + count])).decode()
            await socket.send(json.dumps({"type": "input_audio_buffer.append", "audio": data}))
            await asyncio.sleep(max(0, begin + (start + count) / 24000 - time.monotonic()))

    async def test_sound_that_comes_at_once_is_processed_in_real_time(self) -> None:
        voice = spoken("One two three four five six seven eight nine ten.", 24000)
        async with connect(self.url(), additional_headers=HEADERS, max_size=None) as socket:
            await socket.recv()
            await socket.send(json.dumps({"type": "input_audio_buffer.append",
                                          "audio": base64.b64encode(pcm(voice)).decode()}))
            await socket.send('{"type": "input_audio_buffer.commit"}')
            begin = time.monotonic()
            while "committed" not in await socket.recv():
                pass
            self.assertGreater(time.monotonic() - begin, len(voice) / 24000 * 0.75 - 0.6)
            self.assertEqual(self.session.commits[0], len(voice))

    async def test_g711_is_processed_in_both_shapes_of_a_session(self) -> None:
        for headers, update, audio in [
            (HEADERS, {"type": "realtime", "audio": {"input": {"format": {"type": "audio/pcmu"}},
                                                     "output": {"format": {"type": "audio/pcmu"}}}}, "g711_ulaw"),
            (BETA, {"input_audio_format": "g711_alaw", "output_audio_format": "g711_alaw"}, "g711_alaw"),
        ]:
            async with self.person(headers, audio=audio, echo_gain=0) as (person, send):
                for task in person.tasks[1:]:
                    task.cancel()
                await send({"type": "session.update", "session": update})
                await person.event("session.updated")
                person.tasks.append(asyncio.create_task(person._record()))
                person.room.say(spoken("Hello, is anybody there?", 8000), after=0.5)
                await person.event("input_audio_buffer.speech_stopped")
                self.assertGreater(level(self.session.heard), -45)
                name = "response.audio.delta" if headers is BETA else "response.output_audio.delta"
                await person.event(name)
                self.assertEqual(self.session.errors, 0)


class TurnTests(Bridge):
    """Turns of Anechoic, in the place of the upstream's."""

    options = ("--turns",)

    async def test_a_turn_is_committed_and_answered_and_an_interruption_cancels(self) -> None:
        async with self.person() as (person, send):
            await self.bridge.line("turns are found by Anechoic")
            await person.event("session.updated")
            self.assertIsNone(self.session.turn_detection)
            before = len(self.session.heard)
            person.room.say(spoken("Good morning. When do you open on Saturdays?", 24000, "en-gb", 150), after=2)
            started = await person.event("input_audio_buffer.speech_started")
            await person.event("input_audio_buffer.speech_stopped")
            await person.event("input_audio_buffer.committed")
            await person.event("response.output_audio.delta")
            self.assertEqual(started["audio_start_ms"], before // 24)
            # The silence before the turn was not sent.
            self.assertLess(self.session.commits[0] / 24000, 5)
            await asyncio.sleep(5)
            self.assertEqual(person.kinds().count("input_audio_buffer.speech_started"), 1)
            count = len(person.events)
            person.room.say(spoken("Wait a moment, I did not understand you at all.", 24000, "en-gb", 150))
            await person.event("input_audio_buffer.speech_started", after=count)
            await person.event("conversation.item.truncated", after=count)
            await person.event("input_audio_buffer.committed", after=count)
            await person.event("response.created", after=count)
            self.assertEqual(self.session.errors, 0)

    async def test_the_upstream_finds_turns_while_there_is_no_server(self) -> None:
        async with self.person(echo_gain=0) as (person, send):
            await self.bridge.line("turns are found by Anechoic")
            self.server.process.kill()
            await self.bridge.line("turns are found by the upstream")
            await asyncio.sleep(0.3)
            self.assertEqual(self.session.turn_detection["type"], "server_vad")
            person.room.say(spoken("Hello, can you hear me now?", 24000), after=0.2)
            await person.event("input_audio_buffer.committed")

    async def test_a_client_can_have_no_turns_at_all(self) -> None:
        async with self.person(echo_gain=0) as (person, send):
            await self.bridge.line("turns are found by Anechoic")
            await send({"type": "session.update", "session": {
                "type": "realtime", "audio": {"input": {"turn_detection": None}}}})
            await self.bridge.line("turns are found by the upstream")
            person.room.say(spoken("Hello, can you hear me now?", 24000), after=0.2)
            await asyncio.sleep(4)
            self.assertEqual(self.session.commits, [])


class TLSTests(Bridge):
    """An upstream with TLS, as `wss:`."""

    has_server = False

    async def asyncSetUp(self) -> None:
        await super().asyncSetUp()
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        for name in ("own", "other"):
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
                 "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", f"{self.folder}/{name}.key",
                 "-out", f"{self.folder}/{name}.pem"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{self.folder}/own.pem", f"{self.folder}/own.key")
        self.encrypted = await self.stack.enter_async_context(Upstream(context))

    def bridge_to(self, host: str, authority: str) -> Program:
        return Program("ANECHOIC_BRIDGE", "realtime", "--listen", "127.0.0.1:0", "--server", "127.0.0.1:1",
                       "--upstream", f"wss://{host}:{self.encrypted.port}", "--upstream-ca-file",
                       f"{self.folder}/{authority}.pem")

    async def test_events_of_all_sizes_pass(self) -> None:
        for host in ("localhost", "127.0.0.1"):
            async with self.bridge_to(host, "own") as bridge:
                url = f"ws://127.0.0.1:{bridge.port}/v1/realtime?model=gpt-realtime"
                async with connect(url, additional_headers=HEADERS, max_size=None) as socket:
                    await socket.recv()
                    for size in (1, 20_000, 2 << 20):
                        text = json.dumps({"type": "x", "text": "é" * size})
                        await socket.send(text)
                        self.assertEqual(json.loads(await socket.recv())["type"], "error")
                        self.assertEqual(self.encrypted.sessions[-1].texts[-1], text)
                async with asyncio.timeout(5):
                    while self.encrypted.sessions[-1].close_code is None:
                        await asyncio.sleep(0.01)
                self.assertEqual(self.encrypted.sessions[-1].close_code, 1000)

    async def test_a_certificate_of_another_authority_or_host_is_not_accepted(self) -> None:
        for host, authority in (("127.0.0.1", "other"), ("127.0.0.2", "own")):
            async with self.bridge_to(host, authority) as bridge:
                with self.assertRaises(InvalidStatus) as caught:
                    async with connect(f"ws://127.0.0.1:{bridge.port}/v1/realtime", additional_headers=HEADERS):
                        pass
                self.assertEqual(caught.exception.response.status_code, 502)
                await bridge.line("not started: wss://")

    async def test_an_upstream_without_tls_is_a_bad_gateway(self) -> None:
        self.encrypted.port = self.upstream.port
        async with self.bridge_to("localhost", "own") as bridge:
            with self.assertRaises(InvalidStatus) as caught:
                async with connect(f"ws://127.0.0.1:{bridge.port}/v1/realtime", additional_headers=HEADERS):
                    pass
            self.assertEqual(caught.exception.response.status_code, 502)


class FaultTests(Bridge):
    """Upstreams that refuse, stall and close, and clients that are wrong."""

    has_server = False

    async def test_the_answer_of_an_upstream_that_refuses_reaches_the_client(self) -> None:
        for target, headers, status in [
            ("/v1/realtime?model=gpt-realtime", {"Authorization": "Bearer bad"}, 401),
            ("/v1/realtime?model=nothing", HEADERS, 404),
        ]:
            with self.assertRaises(InvalidStatus) as caught:
                async with connect(self.url(target), additional_headers=headers):
                    pass
            response = caught.exception.response
            self.assertEqual(response.status_code, status)
            self.assertEqual(response.headers["X-Request-Id"], "req_1")
            self.assertIn("error", json.loads(response.body))

    async def test_an_upstream_that_is_not_there_is_a_bad_gateway(self) -> None:
        self.upstream.server.close()
        await self.upstream.server.wait_closed()
        with self.assertRaises(InvalidStatus) as caught:
            async with connect(self.url(), additional_headers=HEADERS):
                pass
        self.assertEqual(caught.exception.response.status_code, 502)

    async def test_without_a_server_the_sound_passes_as_it_is(self) -> None:
        async with self.person(echo_gain=0) as (person, send):
            await self.bridge.line("not processed: UNAVAILABLE")
            person.room.say(spoken("Hello, can you hear me now?", 24000), after=0.2)
            await person.event("input_audio_buffer.committed")
            heard, sent = self.session.heard, person.room.microphone
            count = min(len(heard), len(sent)) - 4800
            np.testing.assert_allclose(heard[4800:count], sent[4800:count], atol=2 / 32768)

    async def test_the_code_of_a_side_that_closes_reaches_the_other(self) -> None:
        async with connect(self.url(), additional_headers=HEADERS) as socket:
            await socket.recv()
            await self.session.connection.close(4001, "session_expired")
            with self.assertRaises(ConnectionClosed) as caught:
                await socket.recv()
            self.assertEqual((caught.exception.rcvd.code, caught.exception.rcvd.reason), (4001, "session_expired"))
        async with connect(self.url(), additional_headers=HEADERS) as socket:
            await socket.recv()
            await socket.close(1000)
            await self._closed()
            self.assertEqual(self.session.close_code, 1000)

    async def _closed(self) -> None:
        async with asyncio.timeout(5):
            while self.session.close_code is None:
                await asyncio.sleep(0.01)

    async def test_a_client_that_is_lost_ends_the_upstream(self) -> None:
        connection = await connect(self.url(), additional_headers=HEADERS)
        await connection.recv()
        connection.transport.abort()
        await self._closed()
        self.assertEqual(self.session.close_code, 1001)

    async def test_a_flood_for_a_stalled_upstream_is_held_back(self) -> None:
        async with connect(self.url(), additional_headers=HEADERS, max_size=None) as socket:
            await socket.recv()
            self.session.is_stalled.set()
            message = json.dumps({"type": "x", "padding": "x" * 100_000})
            sent = 0
            with self.assertRaises(TimeoutError):
                async with asyncio.timeout(5):
                    while True:
                        await socket.send(message)
                        sent += len(message)
            self.assertLess(sent, 40 << 20)
            self.assertLess(self._memory(), 200 << 20)

    def _memory(self) -> int:
        with open(f"/proc/{self.bridge.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async def test_messages_that_are_too_large_end_the_call(self) -> None:
        # A connection that ends while it sends cannot be closed by its context.
        socket = await connect(self.url(), additional_headers=HEADERS, max_size=None)
        await socket.recv()
        with self.assertRaises(ConnectionClosed) as caught:
            await socket.send("x" * (25 << 20))
            await socket.recv()
        self.assertEqual(caught.exception.rcvd.code, 1009)
        await self._closed()

    async def test_wrong_messages_pass_to_the_upstream_and_harm_nobody(self) -> None:
        async with connect(self.url(), additional_headers=HEADERS) as socket:
            await socket.recv()
            for text in ['{"type": "input_audio_buffer.append", "audio": "*"}', '{"type": "session.update"}',
                         '{"type": "input_audio_buffer.append"}', '{"type": "input_audio_buffer.append", "audio": 1}',
                         '{"type": "session.update", "session": 3}', '{"type": "conversation.item.truncate"}']:
                await socket.send(text)
                self.assertEqual(json.loads(await socket.recv())["type"], "error", text)

    async def test_requests_that_are_no_websockets_are_answered(self) -> None:
        for request, status in [(b"GET /v1/realtime HTTP/1.1\r\nHost: x\r\n\r\n", b"426"),
                                (b"POST /v1/realtime HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", b"405"),
                                (b"\x16\x03\x01 hello\r\n\r\n", b"400")]:
            with socket.create_connection(("127.0.0.1", self.bridge.port)) as connection:
                connection.sendall(request)
                answer = await asyncio.to_thread(connection.recv, 4096)
                self.assertEqual(answer.split()[1], status)

    async def test_more_calls_than_allowed_are_refused(self) -> None:
        async with self.program("--max-calls", "1") as bridge:
            url = f"ws://127.0.0.1:{bridge.port}/v1/realtime?model=gpt-realtime"
            async with connect(url, additional_headers=HEADERS) as first:
                await first.recv()
                with self.assertRaises(InvalidStatus) as caught:
                    async with connect(url, additional_headers=HEADERS):
                        pass
                self.assertEqual(caught.exception.response.status_code, 503)
            await bridge.line("ended: the client closed")
            async with connect(url, additional_headers=HEADERS) as second:
                await second.recv()

    async def test_a_stopping_bridge_closes_its_calls(self) -> None:
        async with connect(self.url(), additional_headers=HEADERS) as socket:
            await socket.recv()
            self.bridge.process.terminate()
            with self.assertRaises(ConnectionClosed) as caught:
                await socket.recv()
            self.assertEqual(caught.exception.rcvd.code, 1001)
        self.assertEqual(await asyncio.wait_for(self.bridge.process.wait(), 8), 0)


if __name__ == "__main__":
    unittest.main()
