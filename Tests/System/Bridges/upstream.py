"""A Realtime API for tests, written from the public description of OpenAI's: its events, in both shapes, with
a detector of turns by loudness. Its voice is a text that espeak-ng reads, sent faster than real time."""

import asyncio
import base64
import http
import json
import ssl
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

import numpy as np
from voices import from_g711, from_pcm, g711, level, pcm, spoken
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.datastructures import Headers

RATES = {"pcm16": 24000, "g711_ulaw": 8000, "g711_alaw": 8000}
NEW_NAMES = {"pcm16": "audio/pcm", "g711_ulaw": "audio/pcmu", "g711_alaw": "audio/pcma"}
OLD_NAMES = {new: old for old, new in NEW_NAMES.items()}
ANSWER = ("Thank you for calling. Our office is open from nine to five on every working day, and on the first "
          "Saturday of each month. Please tell me your name, your number, and the reason of your call. You can "
          "also write to us, and we will answer within two days. Is there anything else that I can do for you?")


class Upstream:
    """A server. `sessions` has those that clients have opened. `tls` is the context of a server with TLS."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.tls = tls
        self.sessions: list[Session] = []
        self.requests: list[Request] = []

    async def __aenter__(self) -> "Upstream":
        self.server = await serve(self._run, "127.0.0.1", 0, process_request=self._check, max_size=None,
                                  subprotocols=["realtime"], select_subprotocol=_choose, ssl=self.tls)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_) -> None:
        self.server.close()

    def _check(self, connection: ServerConnection, request: Request) -> Response | None:
        self.requests.append(request)
        url = urlsplit(request.path)
        if request.headers.get("Authorization") != "Bearer good":
            return _refusal(401, "invalid_api_key")
        if url.path != "/v1/realtime" or parse_qs(url.query).get("model") != ["gpt-realtime"]:
            return _refusal(404, "model_not_found")
        return None

    async def _run(self, connection: ServerConnection) -> None:
        session = Session(connection, is_beta="realtime=v1" in connection.request.headers.get("OpenAI-Beta", ""))
        self.sessions.append(session)
        with suppress(ConnectionClosed):
            await session.run()
        session.close_code = connection.close_code


def _choose(connection, offered):
    return "realtime" if "realtime" in offered else None


def _refusal(status: int, code: str) -> Response:
    body = json.dumps({"error": {"code": code, "message": "no"}}).encode()
    return Response(status, http.HTTPStatus(status).phrase, Headers(
        {"Content-Type": "application/json", "Content-Length": str(len(body)), "X-Request-Id": "req_1"}), body)


class Session:
    """A session. `heard` is the client's sound, and `received` its events without the sound."""

    def __init__(self, connection: ServerConnection, is_beta: bool) -> None:
        self.connection, self.is_beta = connection, is_beta
        self.id = f"sess_{id(self):x}"
        self.input = self.output = "pcm16"
        self.turn_detection: dict | None = {"type": "server_vad", "interrupt_response": True}
        self.received: list[dict] = []
        self.texts: list[str] = []
        self.heard = np.zeros(0)
        self.buffered = 0
        self.commits: list[int] = []
        self.items: dict[str, int] = {}
        self.truncated: dict[str, int] = {}
        self.response: asyncio.Task | None = None
        self.response_id = ""
        self.cancelled: list[str] = []
        self.count = 0
        self.is_speaking, self.silence = False, 0.0
        self.answer = ANSWER
        self.is_stalled = asyncio.Event()
        self.close_code: int | None = None
        self.errors = 0

    def events(self, kind: str) -> list[dict]:
        return [event for event in self.received if event["type"] == kind]

    async def send(self, kind: str, **fields) -> None:
        self.count += 1
        await self.connection.send(json.dumps({"event_id": f"event_{self.count}", "type": kind, **fields}))

    def described(self) -> dict:
        if self.is_beta:
            return {"id": self.id, "object": "realtime.session", "input_audio_format": self.input,
                    "output_audio_format": self.output, "turn_detection": self.turn_detection}
        return {"id": self.id, "object": "realtime.session", "type": "realtime", "model": "gpt-realtime",
                "audio": {"input": {"format": self._format(self.input), "turn_detection": self.turn_detection},
                          "output": {"format": self._format(self.output), "voice": "marin"}}}

    @staticmethod
    def _format(name: str) -> dict:
        return {"type": NEW_NAMES[name]} | ({"rate": 24000} if name == "pcm16" else {})

    async def run(self) -> None:
        await self.send("session.created", session=self.described())
        while True:
            text = await self.connection.recv()
            if self.is_stalled.is_set():
                await asyncio.sleep(3600)
            event: dict = {}
            try:
                event = json.loads(text)
                if event["type"] != "input_audio_buffer.append":
                    self.texts.append(text)
                await self._take(event)
            except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
                if not event:
                    self.texts.append(text)
                await self.fail(event, str(error))

    async def fail(self, event: dict, message: str) -> None:
        self.errors += 1
        await self.send("error", error={"type": "invalid_request_error", "message": message,
                                        "event_id": event.get("event_id")})

    async def _take(self, event: dict) -> None:
        kind = event["type"]
        if kind == "input_audio_buffer.append":
            return await self._append(base64.b64decode(event["audio"], validate=True))
        self.received.append(event)
        if kind == "session.update":
            self._update(event["session"])
            await self.send("session.updated", session=self.described())
        elif kind == "input_audio_buffer.commit":
            if self.buffered < 0.1 * RATES[self.input]:
                return await self.fail(event, "buffer too small")
            await self._commit()
        elif kind == "input_audio_buffer.clear":
            self.buffered = 0
            await self.send("input_audio_buffer.cleared")
        elif kind == "response.create":
            if self.response and not self.response.done():
                return await self.fail(event, "Conversation already has an active response")
            self.respond()
        elif kind == "response.cancel":
            if not self.response or self.response.done():
                return await self.fail(event, "Cancellation failed: no active response found")
            await self.cancel()
        elif kind == "conversation.item.truncate":
            if event["audio_end_ms"] > self.items[event["item_id"]] / RATES[self.output] * 1000:
                return await self.fail(event, "Audio content is already shorter")
            self.truncated[event["item_id"]] = event["audio_end_ms"]
            self.items[event["item_id"]] = round(event["audio_end_ms"] * RATES[self.output] / 1000)
            await self.send("conversation.item.truncated", item_id=event["item_id"], content_index=0,
                            audio_end_ms=event["audio_end_ms"])
        else:
            await self.fail(event, f"there is no event {kind}")

    def _update(self, session: dict) -> None:
        if self.is_beta:
            self.input = session.get("input_audio_format", self.input)
            self.output = session.get("output_audio_format", self.output)
            self.turn_detection = session.get("turn_detection", self.turn_detection)
            return
        if session["type"] != "realtime":
            raise ValueError("session.type")
        audio = session.get("audio", {})
        sound = audio.get("input", {})
        self.turn_detection = sound.get("turn_detection", self.turn_detection)
        if "format" in sound:
            self.input = OLD_NAMES[sound["format"]["type"]]
        if "format" in audio.get("output", {}):
            self.output = OLD_NAMES[audio["output"]["format"]["type"]]

    async def _append(self, data: bytes) -> None:
        law = self.input.removeprefix("g711_")
        samples = from_pcm(data) if self.input == "pcm16" else from_g711(data, law)
        self.heard = np.concatenate([self.heard, samples])
        self.buffered += len(samples)
        if self.turn_detection is None:
            return
        for start in range(0, len(samples), RATES[self.input] // 50):
            await self._detect(samples[start: start + RATES[self.input] // 50])

    async def _detect(self, samples: np.ndarray) -> None:
        position = round(len(self.heard) / RATES[self.input] * 1000)
        if level(samples) > -36:
            self.silence = 0
            if not self.is_speaking:
                self.is_speaking = True
                await self.send("input_audio_buffer.speech_started", audio_start_ms=position, item_id="item_user")
                if self.turn_detection.get("interrupt_response", True) and self.response:
                    await self.cancel()
        else:
            self.silence += len(samples) / RATES[self.input]
            if self.is_speaking and self.silence > 0.5:
                self.is_speaking = False
                await self.send("input_audio_buffer.speech_stopped", audio_end_ms=position, item_id="item_user")
                await self._commit()
                self.respond()

    async def _commit(self) -> None:
        self.commits.append(self.buffered)
        self.buffered = 0
        await self.send("input_audio_buffer.committed", item_id="item_user", previous_item_id=None)

    async def cancel(self) -> None:
        if self.response and not self.response.done():
            self.response.cancel()
            self.cancelled.append(self.response_id)
            await self.send("response.done", response={"id": self.response_id, "status": "cancelled", "output": []})

    def respond(self) -> None:
        self.response = asyncio.create_task(self._answer())

    async def _answer(self) -> None:
        with suppress(ConnectionClosed):
            await self._respond()

    async def _respond(self) -> None:
        """Sends the answer in pieces of 200 ms, five times as fast as it is played."""
        number = len(self.items) + 1
        self.response_id, item = f"resp_{number}", f"item_{number}"
        self.items[item] = 0
        await self.send("response.created", response={"id": self.response_id, "status": "in_progress", "output": []})
        rate = RATES[self.output]
        samples = spoken(self.answer, rate)
        kind = "response.audio.delta" if self.is_beta else "response.output_audio.delta"
        for start in range(0, len(samples), rate // 5):
            piece = samples[start: start + rate // 5]
            data = pcm(piece) if self.output == "pcm16" else g711(piece, self.output.removeprefix("g711_"))
            self.items[item] += len(piece)
            await self.send(kind, response_id=self.response_id, item_id=item, output_index=0, content_index=0,
                            delta=base64.b64encode(data).decode())
            await asyncio.sleep(0.04)
        await self.send("response.done", response={"id": self.response_id, "status": "completed", "output": []})
