"""`anechoic-bridge`: plays an Asterisk, and the application that hears the caller. The output is what it hears."""

import os
import socket
import struct
import subprocess
import threading
import time
import uuid

import numpy as np
from common import arguments, log, microphone, tell

IDENTIFIER, KINDS = 0x01, {8000: 0x10, 16000: 0x12}


def message(kind: int, payload: bytes) -> bytes:
    return struct.pack(">BH", kind, len(payload)) + payload


def heard_by(connection: socket.socket, kind: int, parts: list) -> None:
    data = b""
    try:
        while chunk := connection.recv(65536):
            data += chunk
            while len(data) >= 3 and len(data) >= 3 + (size := int.from_bytes(data[1:3], "big")):
                if data[0] == kind:
                    parts.append(data[3: 3 + size])
                data = data[3 + size:]
    except OSError:
        pass


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def connected(port: int) -> socket.socket:
    for _ in range(200):
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except OSError:
            time.sleep(0.05)
    raise SystemExit("the bridge does not listen")


def main() -> None:
    options = arguments()
    kind, frame = KINDS[options.rate], options.rate // 50
    port = free_port()
    application = socket.create_server(("127.0.0.1", 0))
    bridge = subprocess.Popen(
        [os.environ["ANECHOIC_BRIDGE"], "audiosocket", "--listen", f"127.0.0.1:{port}", "--application",
         f"127.0.0.1:{application.getsockname()[1]}", "--server", options.server,
         "--fallback", options.fallback],
        stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)

    def repeat_log() -> None:
        for line in bridge.stderr:
            log(line.rstrip())
            for part, event in (("not processed", "lost"), ("processed by", "restarted"), ("too late", "late")):
                if part in line:
                    tell(event, message=line.strip())
                    break

    threading.Thread(target=repeat_log, daemon=True).start()
    try:
        phone = connected(port)
        phone.sendall(message(IDENTIFIER, uuid.uuid4().bytes))
        app, _ = application.accept()
        parts: list = []
        threading.Thread(target=heard_by, args=(app, kind, parts), daemon=True).start()
        threading.Thread(target=heard_by, args=(phone, kind, []), daemon=True).start()
        begin, position, total = time.monotonic(), 0, round(options.seconds * options.rate)
        tell("began")
        while position < total:
            phone.sendall(message(kind, microphone(position, frame).tobytes()))
            position += frame
            time.sleep(max(0.0, begin + position / options.rate - time.monotonic()))
        time.sleep(0.1)
        np.frombuffer(b"".join(parts), "<i2")[:total].tofile(options.output)
    finally:
        bridge.terminate()
        try:
            bridge.wait(8)
        except subprocess.TimeoutExpired:
            bridge.kill()


main()
