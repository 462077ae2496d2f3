"""Attacks on the HTTP listener with TLS, while honest sessions use a unix socket of the same server."""

import os
import ssl
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from suite import attack
from tls import plain_socket

from attacks.listener import client_hello, close_all, closed_count, send_slowly

OPTIONS = ("--tls-http", "--http-listen", "127.0.0.1:0")


def https(report):
    """The context of an honest client, which offers HTTP/2 too."""
    result = ssl.create_default_context(cafile=report.certificates["ca.pem"])
    result.set_alpn_protocols(["h2", "http/1.1"])
    return result


def get(report, path="/livez"):
    """The answer to an honest client, or nothing."""
    try:
        with https(report).wrap_socket(plain_socket(report.http_address), server_hostname="localhost") as one:
            one.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            answer = b""
            while piece := one.recv(65536):
                answer += piece
            return answer
    except (OSError, ssl.SSLError):
        return b""


def expect_answer(report, moment):
    report.expect(get(report).endswith(b"\r\n\r\nok\n"), f"an honest client has no answer {moment}")


@attack(tls=True, options=OPTIONS)
def https_half_open_handshakes(report):
    """Connections that send nothing, or a byte each 50 ms."""
    sockets, hello = [], client_hello(https(report))
    for turn in range(report.count(1000, 100)):
        one = plain_socket(report.http_address)
        sockets.append(one)
        if turn % 100 == 50:
            expect_answer(report, "beside half-open handshakes")
    send_slowly(sockets[-20:], hello[:40], pause=0.05)
    expect_answer(report, "beside slow handshakes")
    closed = closed_count(sockets, 8)
    report.expect(closed == len(sockets), f"{len(sockets) - closed} half-open connections stay")
    close_all(sockets)


@attack(tls=True, options=OPTIONS)
def https_storms(report):
    """Many clients at once that shake hands and leave: in order, without a word, or with a reset."""
    context = https(report)

    def visit(turn):
        try:
            one = context.wrap_socket(plain_socket(report.http_address), server_hostname="localhost")
        except (OSError, ssl.SSLError):
            return
        if turn % 3 == 0:
            try:
                one.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            except OSError:
                pass
        if turn % 3 == 1:
            one.setsockopt(1, 13, b"\1\0\0\0\0\0\0\0")  # A close is a reset (SO_LINGER).
        one.close()

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(visit, range(report.count(3000, 300))))
    expect_answer(report, "after a storm of clients")


@attack(tls=True, options=OPTIONS)
def https_broken_records(report):
    """A ClientHello with random bytes in it, HTTP without TLS, and records that are too large."""
    hello = client_hello(https(report))
    for turn in range(report.count(2000, 200)):
        data = bytearray(hello)
        for _ in range(turn % 8):
            data[int.from_bytes(os.urandom(2), "big") % len(data)] = os.urandom(1)[0]
        if turn % 4 == 1:
            data = bytearray(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        elif turn % 4 == 2:
            data = b"\x16\x03\x01\xff\xff" + b"\0" * 70000
        elif turn % 4 == 3:
            data = data[:turn % len(data)]
        try:
            with plain_socket(report.http_address) as one:
                one.settimeout(2)
                one.send(data)
        except OSError:
            pass
    expect_answer(report, "after broken records")


@attack(tls=True, options=OPTIONS)
def https_stalled_readers(report):
    """Clients that ask for a page's sound and read nothing."""
    context, sockets = https(report), []
    for _ in range(report.count(200, 40)):
        try:
            one = context.wrap_socket(plain_socket(report.http_address), server_hostname="localhost")
            one.sendall(b"GET /try/bot.wav HTTP/1.1\r\nHost: localhost\r\n\r\n")
            sockets.append(one)
        except OSError:
            pass
    expect_answer(report, "beside clients that read nothing")
    close_all(sockets)


@attack(tls=True, options=OPTIONS)
def https_new_keys(report):
    """A client of TLS 1.3 that asks for new keys again and again, and one of TLS 1.2 that renegotiates."""
    for version, letter in (("-tls1_3", b"K\n"), ("-tls1_2", b"R\n")):
        client = subprocess.Popen(
            ["openssl", "s_client", "-connect", report.http_address, version, "-CAfile", report.certificates["ca.pem"]],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The time for a request ends such a connection at the latest.
        end = threading.Timer(10, client.kill)
        end.start()
        try:
            while client.poll() is None:
                client.stdin.write(letter)
                client.stdin.flush()
                time.sleep(0.001)
        except OSError:
            pass
        report.expect(end.is_alive(), f"a client of {version} goes on asking for new keys")
        end.cancel()
        client.kill()
        client.wait()
    expect_answer(report, "after clients that ask for new keys")
