"""Both sides of a bridge between media streams: a provider with a telephone line, and an application."""

import asyncio
import base64
import json
import ssl
import time
from contextlib import suppress

import numpy as np
from line import Line
from voices import from_g711, g711
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed


class Application:
    """An application. `messages` are those that it got, and `heard` is the caller."""

    async def __aenter__(self) -> "Application":
        self.messages: list[dict] = []
        self.heard = np.zeros(0)
        self.connection: ServerConnection | None = None
        self.has_ended = asyncio.Event()
        self.law = "ulaw"
        self.server = await serve(self._run, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_) -> None:
        self.server.close()

    async def _run(self, connection: ServerConnection) -> None:
        self.connection = connection
        with suppress(ConnectionClosed):
            async for text in connection:
                message = json.loads(text)
                self.messages.append(message)
                media = message.get("media", {})
                if media.get("track") == "inbound" and isinstance(media["payload"], str):
                    data = base64.b64decode(media["payload"])
                    self.heard = np.concatenate([self.heard, from_g711(data, self.law)])
        self.has_ended.set()

    def events(self, name: str) -> list[dict]:
        return [message for message in self.messages if message["event"] == name]

    async def send(self, event: str, **fields) -> None:
        await self.connection.send(json.dumps({"event": event, "streamSid": "MZ1", **fields}))

    async def speak(self, samples: np.ndarray, mark: str | None = None) -> None:
        """Sends a whole sentence at once."""
        for start in range(0, len(samples), 1600):
            payload = base64.b64encode(g711(samples[start: start + 1600], self.law)).decode()
            await self.send("media", media={"payload": payload})
        if mark:
            await self.send("mark", mark={"name": mark})


class Provider:
    """A provider: sends the caller 20 ms at a time, plays the application, and returns its marks."""

    def __init__(self, port: int, line: Line, media_format: dict | None = None, law: str = "ulaw",
                 parameters: dict | None = None, tls: ssl.SSLContext | None = None) -> None:
        self.url, self.line, self.law = f"{'wss' if tls else 'ws'}://127.0.0.1:{port}/media?x=1", line, law
        self.tls = tls
        self.format = media_format or {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}
        self.parameters = parameters or {"a": "b"}
        self.marks: list[tuple[int, str]] = []
        self.sequence = 0
        self.tasks: list[asyncio.Task] = []

    async def __aenter__(self) -> "Provider":
        self.connection = await connect(self.url, ssl=self.tls, additional_headers={"X-Twilio-Signature": "s"})
        await self.connection.send(json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"}))
        await self._send("start", start={"streamSid": "MZ1", "callSid": "CA1", "tracks": ["inbound"],
                                         "mediaFormat": self.format, "customParameters": self.parameters})
        self.tasks = [asyncio.create_task(self._play()), asyncio.create_task(self._record())]
        return self

    async def __aexit__(self, *_) -> None:
        self.tasks[1].cancel()
        with suppress(ConnectionClosed):
            await self._send("stop", stop={"callSid": "CA1"})
        await self.connection.close()
        self.tasks[0].cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _send(self, event: str, **fields) -> None:
        self.sequence += 1
        await self.connection.send(json.dumps(
            {"event": event, "sequenceNumber": str(self.sequence), "streamSid": "MZ1", **fields}))

    async def digit(self, digit: str) -> None:
        await self._send("dtmf", dtmf={"track": "inbound_track", "digit": digit})

    async def _play(self) -> None:
        async for text in self.connection:
            message = json.loads(text)
            if message["event"] == "media":
                sound = from_g711(base64.b64decode(message["media"]["payload"]), self.law)
                self.line.queue = np.concatenate([self.line.queue, sound])
            elif message["event"] == "mark":
                self.marks.append((len(self.line.sent) + len(self.line.queue), message["mark"]["name"]))
            elif message["event"] == "clear":
                self.line.queue = np.zeros(0)
                self.marks = [(0, name) for _, name in self.marks]

    async def _record(self) -> None:
        begin, chunk = time.monotonic(), 0
        while True:
            samples = self.line.step()
            chunk += 1
            await self._send("media", media={
                "track": "inbound", "chunk": str(chunk), "timestamp": str(20 * chunk),
                "payload": base64.b64encode(g711(samples, self.law)).decode()})
            for position, name in [mark for mark in self.marks if mark[0] <= len(self.line.sent)]:
                self.marks.remove((position, name))
                await self._send("mark", mark={"name": name})
            await asyncio.sleep(max(0, begin + chunk * 0.02 - time.monotonic()))
