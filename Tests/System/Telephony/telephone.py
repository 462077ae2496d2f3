"""Both ends of a telephone call through `anechoic-bridge audiosocket`: an exchange whose telephone has an
echo, and an application that speaks. Each check prints a line; the exit code is 1 if one fails.

    telephone.py [--ca FILE] BRIDGE_PORT APPLICATION_PORT CHECK...

--ca names the authority of a bridge with TLS.
"""

import argparse
import socket
import ssl
import struct
import sys
import threading
import time
import uuid

import numpy as np

HANGUP, IDENTIFIER, DIGIT, AUDIO, ERROR = 0x00, 0x01, 0x03, 0x10, 0xFF
RATE, BLOCK = 8000, 160  # 20 ms
ECHO_DELAY, ECHO_GAIN = 240, 0.5  # 30 ms


def message(kind: int, payload: bytes = b"") -> bytes:
    return struct.pack(">BH", kind, len(payload)) + payload


class Side:
    """A connection that reads messages on a thread."""

    def __init__(self, connection: socket.socket):
        self.connection = connection
        self.messages: list[tuple[int, bytes]] = []
        self.audio = np.zeros(0)
        self.has_ended = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        data = b""
        while chunk := self._receive():
            data += chunk
            while len(data) >= 3 and len(data) >= 3 + (size := int.from_bytes(data[1:3], "big")):
                kind, payload, data = data[0], data[3 : 3 + size], data[3 + size :]
                self.messages.append((kind, payload))
                if 0x10 <= kind <= 0x18:
                    samples = np.frombuffer(payload, "<i2") / 32768
                    self.audio = np.concatenate([self.audio, samples])
        self.has_ended.set()

    def _receive(self) -> bytes:
        try:
            return self.connection.recv(65536)
        except OSError:
            return b""

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def send_audio(self, samples: np.ndarray, kind: int = AUDIO) -> None:
        self.send(message(kind, (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()))


def connect(bridge: int) -> socket.socket:
    """Connects to the bridge, with TLS if there is an authority."""
    connection = socket.create_connection(("127.0.0.1", bridge))
    if authority is None:
        return connection
    return ssl.create_default_context(cafile=authority).wrap_socket(connection, server_hostname="127.0.0.1")


class Call:
    """A call: `telephone` is the exchange's side of the bridge, `application` the other one."""

    def __init__(self, bridge: int, listener: socket.socket):
        self.identifier = uuid.uuid4()
        connection = connect(bridge)
        connection.sendall(message(IDENTIFIER, self.identifier.bytes))
        self.telephone = Side(connection)
        accepted, _ = listener.accept()
        self.application = Side(accepted)

    def run(self, seconds: float, application, near, block=None) -> np.ndarray:
        """Runs both sides in real time. Returns the telephone's microphone.

        `application` and `near` are signals. `block` may replace the n-th block of the telephone: it
        gets the number and the samples, and returns the bytes to send.
        """
        room = np.zeros(int(seconds * RATE) + RATE)
        microphone = np.zeros(0)
        start = time.monotonic()
        for number in range(int(seconds * RATE / BLOCK)):
            now = number * BLOCK
            self.application.send_audio(application[now : now + BLOCK])
            # The echo of the audio that has arrived.
            heard = self.telephone.audio
            room[ECHO_DELAY : ECHO_DELAY + len(heard)] = ECHO_GAIN * heard[: len(room) - ECHO_DELAY]
            samples = room[now : now + BLOCK] + near[now : now + BLOCK]
            microphone = np.concatenate([microphone, samples])
            data = message(AUDIO, (samples * 32767).astype("<i2").tobytes())
            self.telephone.send(data if block is None else block(number, data))
            time.sleep(max(0, start + (now + BLOCK) / RATE - time.monotonic()))
        return microphone

    def hang_up(self) -> None:
        self.telephone.send(message(HANGUP))
        check("the application hears the end", self.application.has_ended.wait(5))
        check("its last message is a hangup", self.application.messages[-1][0] == HANGUP)


failures = 0
authority: str | None = None


def check(claim: str, holds: bool, value: object = "") -> None:
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'FAILED'}: {claim} {value}", flush=True)


def speech(seconds: float, seed: int) -> np.ndarray:
    """Noise with the spectrum and the pauses of speech."""
    random = np.random.default_rng(seed)
    count = int(seconds * RATE)
    noise = np.convolve(random.standard_normal(count), np.hanning(6), "same")
    syllables = np.repeat(random.uniform(0, 1, count // 1200 + 1), 1200)[:count]
    return 0.05 * noise * np.convolve(syllables, np.hanning(400) / 200, "same")


def level(samples: np.ndarray) -> float:
    return 10 * np.log10(np.mean(samples**2) + 1e-12)


def echo(bridge: int, listener: socket.socket) -> None:
    """The application hears the caller and not itself."""
    call = Call(bridge, listener)
    check("the application gets the identifier",
          wait(lambda: call.application.messages[:1] == [(IDENTIFIER, call.identifier.bytes)]))
    near = np.zeros(12 * RATE)
    near[9 * RATE :] = 3 * speech(3, 2)
    microphone = call.run(12, speech(12, 1), near)
    heard = call.application.audio
    early, late = slice(6 * RATE, 9 * RATE), slice(10 * RATE, int(11.5 * RATE))
    reduction = level(microphone[early]) - level(heard[early])
    check("the echo is reduced by 20 dB or more", reduction > 20, f"{reduction:.1f} dB")
    loss = level(near[late]) - level(heard[late])
    check("the caller's voice stays", loss < 8, f"{loss:.1f} dB softer")
    check("as much audio came as went", abs(len(heard) - len(microphone)) <= RATE // 2,
          f"{len(heard)} of {len(microphone)} samples")
    call.hang_up()


def lines(bridge: int, listener: socket.socket) -> None:
    """The first second of a call has no echo, because the call before has learnt the echo path of the line."""
    first = first_echo(bridge, listener, 10)
    later: list[float] = []
    # On a busy machine, blocks that are missing change the delay of the echo from call to call.
    # If the first second of the first call is lost, it has no echo either.
    enough = min(first + 6, 35)
    while len(later) < 4 and max(later, default=0) < enough:
        later.append(first_echo(bridge, listener, 3))
    check("a later call removes 6 dB more echo at once, or 35 dB", max(later) >= enough,
          f"{first:.1f} dB, then {', '.join(f'{each:.1f}' for each in later)} dB")


def first_echo(bridge: int, listener: socket.socket, seconds: int) -> float:
    """Makes a call. Returns by how many dB the echo of its first second is lower for the application."""
    call = Call(bridge, listener)
    microphone = call.run(seconds, speech(seconds, seconds), np.zeros(seconds * RATE))
    first = slice(RATE // 5, RATE)
    # The application hears the caller later by the delay of the bridge: 120 ms.
    late = slice(first.start + RATE * 12 // 100, first.stop + RATE * 12 // 100)
    heard = level(call.application.audio[late])
    call.hang_up()
    time.sleep(1)  # The session ends, and tells its echo path.
    return level(microphone[first]) - heard


def faults(bridge: int, listener: socket.socket) -> None:
    """A call survives lost, late and invalid messages."""
    call = Call(bridge, listener)
    held: list[bytes] = []

    def block(number: int, data: bytes) -> bytes:
        if number == 20:
            return message(AUDIO, b"\x00") + message(AUDIO, data[3:-1])  # half samples
        if number == 22:
            return message(0x55, b"unknown") + message(AUDIO) + data
        if number == 24:
            return message(DIGIT, b"5") + data
        if 30 <= number < 60:  # nothing for 0.6 s
            held.append(data)
            return b""
        if number == 60:  # and then all of it at once
            return b"".join(held) + data
        if number == 80:  # a message in pieces
            call.telephone.send(data[:2])
            time.sleep(0.01)
            return data[2:]
        return data

    microphone = call.run(3, speech(3, 1), speech(3, 2), block)
    check("audio went on", wait(lambda: len(call.application.audio) > 2.5 * RATE),
          f"{len(call.application.audio)} of {len(microphone)} samples")
    check("late audio is left out", len(call.application.audio) < 3.3 * RATE)
    kinds = {kind: payload for kind, payload in call.application.messages}
    check("a digit reaches the application", kinds.get(DIGIT) == b"5")
    check("so does a message that nobody knows", kinds.get(0x55) == b"unknown")
    check("the caller heard the application", level(call.telephone.audio) > -60)
    call.hang_up()


def hangup(bridge: int, listener: socket.socket) -> None:
    """A caller who hangs up hears no more, so the application does not wait until its prompt has been played."""
    call = Call(bridge, listener)
    call.run(0.5, np.zeros(4000), speech(1, 2))
    call.application.send_audio(speech(4, 1))
    time.sleep(0.2)
    call.telephone.send(message(HANGUP))
    check("the application learns of it within 2 s", call.application.has_ended.wait(2))


def rates(bridge: int, listener: socket.socket) -> None:
    """A call changes its rate to 16 kHz; a rate that no session has ends a call. The application has its own rate."""
    call = Call(bridge, listener)
    call.run(0.5, speech(1, 1), speech(1, 2))
    tone = np.sin(2 * np.pi * 1000 * np.arange(12_000) / 24_000)
    call.application.send_audio(0.1 * tone, 0x13)
    heard = len(call.telephone.audio)
    call.run(0.8, speech(1, 1), np.zeros(8000))
    spectrum = np.abs(np.fft.rfft(call.telephone.audio[heard + 1600:heard + 3200]))
    check("the application's audio at 24 kHz is heard at 8 kHz", np.argmax(spectrum) == 200, np.argmax(spectrum))
    for _ in range(25):
        call.telephone.send_audio(np.full(320, 0.1), 0x12)
        time.sleep(0.02)
    check("the application gets audio at 16 kHz",
          wait(lambda: any(kind == 0x12 for kind, _ in call.application.messages)))
    call.telephone.send_audio(np.zeros(480), 0x11)
    check("audio at 12 kHz ends the call", call.telephone.has_ended.wait(5))


def formats(bridge: int, listener: socket.socket) -> None:
    """Formats that alternate with each block begin few sessions, and the call goes on."""
    call = Call(bridge, listener)
    for number in range(400):
        call.telephone.send_audio(np.zeros(8), (AUDIO, 0x12)[number % 2])
    time.sleep(1.2)
    heard = len(call.application.audio)
    call.run(0.5, np.zeros(8000), speech(1, 2))
    check("the application hears the caller", wait(lambda: len(call.application.audio) > heard))
    call.hang_up()


def strangers(bridge: int, listener: socket.socket) -> None:
    """Connections that are no calls end, and calls go on beside them."""
    for data in [b"GET / HTTP/1.1\r\n\r\n", message(AUDIO, b"\0" * 320), message(IDENTIFIER, b"x"),
                 message(HANGUP), b"\x01\xff\xff" + b"x" * 65535]:
        stranger = Side(socket.create_connection(("127.0.0.1", bridge)))
        stranger.send(data)
        check("a stranger is disconnected", stranger.has_ended.wait(8), repr(data[:8]))
    # More silent connections than the bridge has places for calls.
    crowd = [Side(socket.create_connection(("127.0.0.1", bridge))) for _ in range(120)]
    call = Call(bridge, listener)
    call.application.send(message(HANGUP))
    check("the application can hang up", call.telephone.has_ended.wait(5))
    check("with a message", call.telephone.messages[-1:] == [(HANGUP, b"")])
    check("silent connections are closed", all(side.has_ended.wait(8) for side in crowd))


def wait(condition, seconds: float = 5) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return condition()


def main() -> int:
    global authority
    checks = {"echo": echo, "faults": faults, "hangup": hangup, "lines": lines, "rates": rates, "formats": formats, "strangers": strangers}
    parser = argparse.ArgumentParser()
    parser.add_argument("--ca")
    parser.add_argument("bridge", type=int)
    parser.add_argument("application", type=int)
    parser.add_argument("names", nargs="+", choices=checks)
    given = parser.parse_args()
    authority = given.ca
    listener = socket.create_server(("127.0.0.1", given.application))
    for name in given.names:
        checks[name](given.bridge, listener)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
