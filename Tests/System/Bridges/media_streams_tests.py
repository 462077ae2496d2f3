"""`anechoic-bridge media-streams` between a provider with a telephone line and an application."""

import asyncio
import json
import os
import ssl
import subprocess
import tempfile
import unittest
from contextlib import AsyncExitStack

import numpy as np
from line import Line, hybrid
from programs import Program, server
from telephone import Application, Provider
from voices import level, spoken
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

SENTENCE = ("Thank you for calling. Our office is open from nine to five on every working day, and on the first "
            "Saturday of each month. Please tell me your name, your number, and the reason of your call.")


class BridgedTest(unittest.IsolatedAsyncioTestCase):
    """A server, an application, and a bridge between a provider and the application."""

    options = ()

    async def asyncSetUp(self) -> None:
        self.stack = AsyncExitStack()
        self.application = await self.stack.enter_async_context(Application())
        self.server = await self.stack.enter_async_context(server())
        self.bridge = await self.stack.enter_async_context(Program(
            "ANECHOIC_BRIDGE", "media-streams", "--listen", "127.0.0.1:0", "--upstream",
            f"ws://127.0.0.1:{self.application.port}/app", "--server", f"127.0.0.1:{self.server.port}", *self.options))

    async def asyncTearDown(self) -> None:
        await self.stack.aclose()
        if os.environ.get("ANECHOIC_LOGS"):
            print(self.id(), *self.bridge.lines, sep="\n  ")

    async def start(self) -> None:
        async with asyncio.timeout(10):
            while not self.application.events("media"):
                await asyncio.sleep(0.01)

    def check_messages(self, line: Line) -> None:
        messages = self.application.messages
        self.assertEqual([message["event"] for message in messages[:2]], ["connected", "start"])
        self.assertEqual(messages[1]["start"]["customParameters"], {"a": "b"})
        self.assertEqual(messages[-1]["event"], "stop")
        numbers = [int(message["sequenceNumber"]) for message in messages[1:]]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertEqual(len(self.application.heard), len(line.sent))
        self.assertEqual([mark["mark"]["name"] for mark in self.application.events("mark")], ["end"])


class MediaStreamTests(BridgedTest):
    async def test_the_application_hears_the_caller_without_itself(self) -> None:
        line = Line(hybrid(-10, 0.064, 0.2))
        async with Provider(self.bridge.port, line):
            await self.start()
            await self.application.speak(spoken(SENTENCE, 8000), mark="end")
            await asyncio.sleep(10.5)
            echo, heard = line.sent[-4 * 8000:], self.application.heard[-4 * 8000:]
            self.assertGreater(level(echo), -36)
            self.assertGreater(level(echo) - level(heard), 20)
            line.say(spoken("Yes, I would like to change my appointment.", 8000), after=2)
            await asyncio.sleep(5)
            said, arrived = line.voice[line.voice.nonzero()[0][0]:], self.application.heard[-5 * 8000:]
            self.assertLess(abs(level(said) - 2.2 - level(arrived)), 6)
        await asyncio.wait_for(self.application.has_ended.wait(), 5)
        self.check_messages(line)

    async def test_a_clear_stops_the_reference_and_returns_the_marks(self) -> None:
        line = Line(hybrid(-10, 0.032, 0.05))
        async with Provider(self.bridge.port, line) as provider:
            await self.start()
            await self.application.speak(spoken(SENTENCE, 8000), mark="cleared")
            await asyncio.sleep(4)
            await self.application.send("clear")
            await provider.digit("5")
            await asyncio.sleep(1)
            self.assertEqual([mark["mark"]["name"] for mark in self.application.events("mark")], ["cleared"])
            self.assertEqual(self.application.events("dtmf")[0]["dtmf"]["digit"], "5")
            # A reference that went on would hide the caller, or count as the far end.
            line.say(spoken("No, that is wrong. Please listen to me.", 8000))
            await asyncio.sleep(4)
            said, arrived = line.voice[line.voice.nonzero()[0][0]:], self.application.heard[-4 * 8000:]
            self.assertLess(abs(level(said) - 1.5 - level(arrived)), 6)

    async def test_a_format_that_is_not_supported_passes(self) -> None:
        line = Line(np.zeros(1))
        async with Provider(self.bridge.port, line, {"encoding": "audio/opus", "sampleRate": 48000, "channels": 2}):
            line.say(spoken("Hello.", 8000))
            await self.bridge.line("not supported")
            await asyncio.sleep(1)
        await asyncio.wait_for(self.application.has_ended.wait(), 5)
        self.assertGreater(len(self.application.heard), 4000)

    async def test_wrong_messages_pass(self) -> None:
        async with connect(f"ws://127.0.0.1:{self.bridge.port}/media") as socket:
            texts = ['{"event": "media"}', '{"event": "media", "media": {"payload": "*"}}', '{"event": "start"}',
                     '{"event": "media", "media": {"payload": 7, "track": "inbound"}}',
                     '{"event": "start", "start": 3}', '{"event": "x", "n": 1.50}']
            for text in texts:
                await socket.send(text)
            async with asyncio.timeout(5):
                while len(self.application.messages) < len(texts):
                    await asyncio.sleep(0.01)
            self.assertEqual(self.application.messages, [json.loads(text) for text in texts])


class SecureTests(BridgedTest):
    """The provider connects with wss://."""

    async def asyncSetUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory(prefix="anechoic-bridge-"))
        certificate, key = f"{folder}/bridge.pem", f"{folder}/bridge.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
             "-subj", "/CN=bridge", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        self.options = ("--listen-certificate", certificate, "--listen-key", key)
        self.tls = ssl.create_default_context(cafile=certificate)
        await super().asyncSetUp()

    async def test_the_application_hears_the_caller_over_tls(self) -> None:
        line = Line(hybrid(-10, 0.064, 0.2))
        async with Provider(self.bridge.port, line, tls=self.tls):
            await self.start()
            line.say(spoken("Yes, I would like to change my appointment.", 8000), after=1)
            await self.application.speak(spoken("Please tell me your name.", 8000), mark="end")
            await asyncio.sleep(6)
            self.assertGreater(level(self.application.heard[-4 * 8000:]), -45)
        await asyncio.wait_for(self.application.has_ended.wait(), 5)
        self.check_messages(line)

    async def test_a_provider_without_tls_is_refused(self) -> None:
        with self.assertRaisesRegex(InvalidStatus, "400"):
            await connect(f"ws://127.0.0.1:{self.bridge.port}/media")
        await self.bridge.line("TLS handshake failed: TLS: http request")


class LineTests(BridgedTest):
    """Calls that follow each other on a line."""

    options = ("--keep-echo-path",)

    async def first_echo(self, line_name: str, seconds: float) -> float:
        """Makes a call. Returns by how many dB its first second of echo is lower for the application."""
        line = Line(hybrid(-10, 0.064, 0.2))
        self.application.heard, self.application.messages = np.zeros(0), []
        self.application.has_ended.clear()
        async with Provider(self.bridge.port, line, parameters={"line": line_name}):
            await self.start()
            await self.application.speak(spoken(SENTENCE, 8000))
            await asyncio.sleep(seconds)
        await asyncio.wait_for(self.application.has_ended.wait(), 5)
        begin = np.flatnonzero(np.abs(line.echo) > 0.01)[0]
        part = slice(begin, begin + 8000)
        return level(line.sent[part]) - level(self.application.heard[part.start + 960: part.stop + 960])

    async def test_the_next_call_of_a_line_begins_without_echo(self) -> None:
        first = await self.first_echo("berlin", 11)
        await asyncio.sleep(1)  # The session ends, and tells its echo path.
        other = await self.first_echo("paris", 3)
        second = await self.first_echo("berlin", 3)
        self.assertGreater(second, max(first, other) + 6, f"{first:.1f}, {other:.1f} and {second:.1f} dB")


if __name__ == "__main__":
    unittest.main()
