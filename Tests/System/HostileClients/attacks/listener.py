"""Attacks on a listener with TLS, while honest sessions use a unix socket of the same server."""

import os
import select
import socket
import ssl
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from raw_client import PREFACE, SETTINGS, frame
from suite import attack
from tls import Client, context, is_served, plain_socket


def open_many(report, count):
    """Connects so many sockets that are still to begin their handshakes."""
    sockets = []
    for _ in range(count):
        try:
            sockets.append(plain_socket(report.tls_address))
        except OSError:
            break
    return sockets


def expect_served(report, moment):
    report.expect(
        is_served(report.tls_address, context(report.certificates)),
        f"an honest TLS client is not served {moment}")


def close_all(sockets):
    for one in sockets:
        one.close()


def closed_count(sockets, within):
    """The number of sockets that the server closes in this time."""
    poll = select.poll()
    waiting = {one.fileno(): one for one in sockets}
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    closed, end = 0, time.monotonic() + within
    while waiting and (left := end - time.monotonic()) > 0:
        for descriptor, _ in poll.poll(left * 1000):
            try:
                if waiting[descriptor].recv(65536):
                    continue
            except OSError:
                pass
            poll.unregister(descriptor)
            del waiting[descriptor]
            closed += 1
    return closed


@attack(tls=True, memory=128)
def half_open_handshakes(report):
    """Connections that never begin their handshake, beside honest ones."""
    sockets = open_many(report, report.count(3000, 300))
    expect_served(report, "beside half-open connections")
    closed = closed_count(sockets, 10)
    report.expect(closed == len(sockets), f"{len(sockets) - closed} half-open connections stay")
    report.notes.append(f"{closed} half-open connections closed")
    close_all(sockets)


@attack(tls=True, memory=128)
def slow_handshakes(report):
    """Handshakes of a byte each 100 ms."""
    sockets = open_many(report, report.count(1000, 100))
    hello = client_hello(context(report.certificates))
    send_slowly(sockets, hello[:16], pause=0.1)
    expect_served(report, "beside slow handshakes")
    send_slowly(sockets, hello[16:40], pause=0.1)
    closed = closed_count(sockets, 5)
    report.expect(closed == len(sockets), f"{len(sockets) - closed} slow handshakes go on")
    close_all(sockets)


def send_slowly(sockets, data, pause):
    """Sends a byte on each socket, and another one after each pause in seconds."""
    for byte in data:
        for one in sockets:
            try:
                one.send(bytes([byte]))
            except OSError:
                pass
        time.sleep(pause)


def client_hello(client):
    """The first bytes of an honest client with a context of TLS."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    honest = client.wrap_bio(incoming, outgoing, server_hostname="localhost")
    try:
        honest.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


@attack(tls=True)
def broken_handshakes(report):
    """A ClientHello with random bytes in it, cut short, or followed by rubbish."""
    hello = client_hello(context(report.certificates))
    for turn in range(report.count(2000, 200)):
        data = bytearray(hello)
        for _ in range(turn % 8):
            data[int.from_bytes(os.urandom(2), "big") % len(data)] = os.urandom(1)[0]
        data = data[:len(data) - turn % 50] if turn % 3 else data + os.urandom(500)
        try:
            with plain_socket(report.tls_address) as one:
                one.send(data)
        except OSError:
            pass
    expect_served(report, "after broken handshakes")


@attack(tls=True)
def oversized_records(report):
    """TLS records that promise more than they may, and a ClientHello of 16 MB."""
    heads = [b"\x16\x03\x01\xff\xff", b"\x16\x03\x01\x40\x00\x01\xff\xff\xff\x03\x03"]
    for turn in range(report.count(300, 30)):
        try:
            with plain_socket(report.tls_address) as one:
                one.settimeout(2)
                one.send(heads[turn % 2])
                for _ in range(20):
                    one.send(b"\x16\x03\x01\x40\x00" + b"\0" * 0x4000)
        except OSError:
            pass
    expect_served(report, "after oversized records")


@attack(tls=True)
def old_tls_versions(report):
    """Clients of TLS 1.0 and 1.1."""
    for turn in range(report.count(500, 50)):
        version = (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1)[turn % 2]
        old = context(report.certificates, version=version)
        report.expect(not is_served(report.tls_address, old), f"{version.name} is accepted")
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        new = context(report.certificates, version=version)
        report.expect(is_served(report.tls_address, new), f"{version.name} is refused")


@attack(tls=True)
def renegotiations(report):
    """Clients of TLS 1.2 that ask for new handshakes on their connection."""
    certificates = report.certificates
    for _ in range(report.count(100, 10)):
        result = subprocess.run(
            ["openssl", "s_client", "-connect", report.tls_address, "-tls1_2", "-alpn", "h2",
             "-CAfile", certificates["ca.pem"], "-cert", certificates["client.pem"], "-key",
             certificates["client.key"], "-quiet"],
            input=b"R\nR\nR\n", capture_output=True, timeout=20)
        report.expect(b"verify return:1" in result.stderr, "s_client did not connect")
    expect_served(report, "after renegotiations")


@attack(tls=True)
def foreign_certificates(report):
    """Clients with a certificate of another authority, with an expired one, and without any."""
    for turn in range(report.count(600, 60)):
        name = ("stranger", "expired", None)[turn % 3]
        refused = not is_served(report.tls_address, context(report.certificates, client=name))
        report.expect(refused, f"a client with the certificate {name} is served")
    expect_served(report, "after clients that were refused")


@attack(tls=True)
def plaintext_to_tls(report):
    """HTTP/2 and HTTP/1 without TLS."""
    for turn in range(report.count(1000, 100)):
        try:
            with plain_socket(report.tls_address) as one:
                one.send(PREFACE + frame(SETTINGS, 0, 0) if turn % 2 else b"GET / HTTP/1.1\r\n\r\n")
        except OSError:
            pass
    expect_served(report, "after plaintext")


@attack(tls=True, memory=128)
def silent_after_handshake(report):
    """Clients that complete the handshake and never send the settings of HTTP/2."""
    sockets = []
    tls_context = context(report.certificates)
    for _ in range(report.count(300, 50)):
        sockets.append(tls_context.wrap_socket(
            plain_socket(report.tls_address), server_hostname="localhost"))
    expect_served(report, "beside silent clients")
    end = time.monotonic() + 12
    closed = 0
    for one in sockets:
        one.settimeout(max(0.1, end - time.monotonic()))
        try:
            while one.recv(65536):
                pass
            closed += 1
        except socket.timeout:
            pass
        except OSError:
            closed += 1
    report.expect(closed == len(sockets), f"{len(sockets) - closed} silent clients stay connected")
    close_all(sockets)


@attack(tls=True, memory=96)
def certificate_reloads(report):
    """Certificates that change all the time, some of them with the wrong key, while clients come."""
    certificates = report.certificates
    certificates.use("first")
    time.sleep(4)
    tls_context = context(certificates)
    steady = Client(report.tls_address, tls_context)
    seen = set()
    for turn in range(report.count(40, 8)):
        certificates.use(("first", "second")[turn % 2], key="client" if turn % 4 == 3 else None)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            client = Client(report.tls_address, tls_context)
            report.expect(client.ping(), "a client is not served during a reload")
            seen.add(client.certificate)
            client.close()
        report.expect(steady.ping(), "a connection broke when the certificate changed")
    certificates.use("second")
    end = time.monotonic() + 15
    while "second" not in seen and time.monotonic() < end:
        time.sleep(0.5)
        client = Client(report.tls_address, tls_context)
        seen.add(client.certificate)
        client.close()
    report.expect("second" in seen, f"only {seen} were used")
    report.expect(steady.ping(), "a connection broke when the certificate changed")
    steady.close()


@attack(tls=True, memory=128)
def connection_storm(report):
    """10,000 connections in a minute, each with a handshake and an answer."""
    count = report.count(10_000, 200)
    tls_context = context(report.certificates)
    began = time.monotonic()
    with ThreadPoolExecutor(16) as pool:
        served = pool.map(lambda _: is_served(report.tls_address, tls_context), range(count))
        failed = sum(not one for one in served)
    seconds = time.monotonic() - began
    report.expect(failed == 0, f"{failed} of {count} clients are not served")
    report.notes.append(f"{count} connections in {seconds:.0f} s")
