"""Clients that claim to be others."""

import hashlib
import hmac
import json
import os
import random
import threading
import time
from pathlib import Path

import issuer
import service
from issuer import authorization
from suite import attack
from wire import Connection, Pool

NOT_FOUND, PERMISSION_DENIED, RESOURCE_EXHAUSTED = 5, 7, 8
FAILED_PRECONDITION, UNAUTHENTICATED = 9, 16
_issuer = None


def trusted():
    """The issuer that the attacked servers trust. Honest clients get a token of it."""
    global _issuer
    if _issuer is None:
        _issuer = issuer.Issuer()
        os.environ["ANECHOIC_TEST_TOKEN"] = _issuer.token("honest", "media")
    return _issuer


def options():
    return trusted().options


def recording_options():
    return (*trusted().options, "--allow-recording")


def forgeries():
    """Headers that prove nothing, by what is wrong with them."""
    own = trusted()
    good = own.token("eve", "admin")
    header, claims, signature = good.split(".")
    changed = issuer.encode(json.dumps(own.claims("eve", "admin", sub="root")).encode())
    none = issuer.encode(b'{"alg":"none"}')
    hs256 = f'{issuer.encode(json.dumps({"alg": "HS256"}).encode())}.{claims}'
    public = issuer.openssl("rsa", "-in", own.key, "-pubout")
    mac = issuer.encode(hmac.new(public, hs256.encode(), hashlib.sha256).digest())
    tokens = {
        "no token": [],
        "another scheme": [("authorization", "Basic cm9vdDpyb290")],
        "many headers": authorization(good) * 60,
        "nonsense": authorization("nonsense"),
        "dots": authorization("." * 4000),
        "oversized": authorization("a" * 8200),
        "forged signature": authorization(f"{header}.{claims}.{signature[:-8]}AAAAAAAA"),
        "other claims": authorization(f"{header}.{changed}.{signature}"),
        "no signature": authorization(f"{header}.{claims}."),
        "algorithm none": authorization(f"{none}.{claims}."),
        "HS256 with the public key": authorization(f"{hs256}.{mac}"),
        "another key": authorization(own.token("eve", "admin", key=own.stranger)),
        "unknown kid": authorization(
            own.token("eve", "admin", header={"alg": "RS256", "kid": "other"})),
        "key in the header": authorization(own.token(
            "eve", "admin", key=own.stranger, header={"alg": "RS256", "jwk": own.jwk})),
        "critical field": authorization(own.token(
            "eve", "admin", header={"alg": "RS256", "crit": ["x"], "x": 1})),
        "expired": authorization(own.token("eve", "admin", exp=int(time.time()) - 60)),
        "not yet valid": authorization(own.token("eve", "admin", nbf=int(time.time()) + 600)),
        "without expiry": authorization(own.token("eve", "admin", exp=None)),
        "wrong audience": authorization(own.token("eve", "admin", aud="other")),
        "no audience": authorization(own.token("eve", "admin", aud=[])),
        "wrong issuer": authorization(own.token("eve", "admin", iss="https://evil.test")),
        "empty subject": authorization(own.token("", "admin")),
        "control characters": authorization(own.token("e\x1b[31mve\n", "admin")),
        "long subject": authorization(own.token("e" * 101, "admin")),
        "scope of wrong type": authorization(own.token("eve", {"admin": True})),
        "deep claims": authorization(own.sign(b'{"x":' + b"[" * 4000)),
        "claims that are no object": authorization(own.sign(b"17")),
        "claims that are no text": authorization(own.sign(bytes(range(128, 256)))),
    }
    return tokens


@attack(options=options, memory=128, refusals=(RESOURCE_EXHAUSTED,))
def forged_tokens(report):
    """Calls of all kinds with tokens that prove nothing, thousands at once."""
    generator = random.Random(7)
    headers = forgeries()
    # After some calls with too many headers, the server closes the connection.
    del headers["many headers"]
    pool, wrong, refused = Pool(report.address), {}, 0
    paths = [service.PROCESS, service.CAPABILITIES, service.SESSIONS + "ListSessions",
             service.SESSIONS + "WatchSession", service.SESSIONS + "InjectSpeech"]
    for _ in range(report.count(20, least=2)):
        calls = []
        for _ in range(1000):
            name = generator.choice(list(headers))
            calls.append((name, pool.call(generator.choice(paths), headers[name])))
            if generator.random() < 0.5:
                calls[-1][1].send(b"", end=True, timeout=1)
            if len(calls) % 100 == 0:
                pool.pump()
        pool.pump(20, until=lambda: all(call.has_ended for _, call in calls))
        for name, call in calls:
            refused += 1
            if call.status not in (UNAUTHENTICATED, RESOURCE_EXHAUSTED):
                wrong[name] = call.status
    pool.close()
    report.expect(not wrong, f"other answers than a refusal: {wrong}")
    report.notes.append(f"{refused} calls of {len(headers)} kinds")


@attack(options=options, memory=96)
def each_forgery_alone(report):
    """Each forgery on a connection of its own is refused with UNAUTHENTICATED."""
    for name, header in forgeries().items():
        connection = Connection(report.address)
        status, _ = connection.unary(service.CAPABILITIES, b"", header)
        # libgrpc itself refuses headers that are too large, or ends their connection.
        accepted = (UNAUTHENTICATED, RESOURCE_EXHAUSTED, "gone") \
            if name in ("oversized", "many headers") else (UNAUTHENTICATED,)
        report.expect(status in accepted, f"{name}: {status}")
        connection.close()
    report.notes.append(f"{len(forgeries())} forgeries")


@attack(options=recording_options, memory=96)
def foreign_sessions(report):
    """A client with every scope but admin asks for, watches, changes, records, ends and injects into
    the session of another client."""
    own = trusted()
    victim = Connection(report.address)
    session = victim.call(service.PROCESS, authorization(own.token("victim", "media")))
    session.send(service.start(session="foreign"))
    session.wait(5, messages=1)
    eve = authorization(own.token("eve", "media read control inject"))
    requests = {
        "GetSession": service.watch("foreign"), "WatchSession": service.watch("foreign"),
        "SetMute": service.set_mute("foreign", True), "DeleteSession": service.delete("foreign"),
        "RecordSession": service.record("foreign", 1),
    }
    connection = Connection(report.address)
    for _ in range(report.count(400, least=20)):
        for method, request in requests.items():
            status, _ = connection.unary(service.SESSIONS + method, request, eve)
            report.expect(status == NOT_FOUND, f"{method}: {status}")
        status, _ = connection.unary(
            service.SESSIONS + "InjectSpeech", service.injection("foreign", 16000), eve)
        report.expect(status == FAILED_PRECONDITION, f"InjectSpeech: {status}")
        status, answer = connection.unary(service.SESSIONS + "ListSessions", b"", eve)
        # Sessions are the first field of the answer, which also tells of the server.
        report.expect(status == 0 and not answer.startswith(b"\x0a"), "a foreign session is listed")
    victim.pump()
    report.expect(not session.has_ended, f"the foreign session ended: {session.status}")
    reader = authorization(own.token("victim", "read"))
    status, _ = connection.unary(service.SESSIONS + "SetMute", requests["SetMute"], reader)
    report.expect(status == PERMISSION_DENIED, f"SetMute without its scope: {status}")
    connection.close()
    victim.close()


@attack(options=options, memory=96)
def keys_replaced(report):
    """The file of keys becomes garbage, empty, huge, a folder's name or good again, while calls come."""
    own = trusted()
    good = own.key_set()
    twice = json.dumps({"keys": [own.jwk, own.jwk]})
    contents = ["garbage", "", "{", json.dumps({"keys": []}), twice, "[" * 100_000,
                "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
                Path(own.key).read_text(), "x" * 300_000, good[: len(good) // 2], good]
    is_over = threading.Event()

    def replace():
        generator = random.Random(3)
        while not is_over.wait(0.05):
            own.write(generator.choice(contents))
            if generator.random() < 0.1:
                Path(own.path("keys.json")).unlink(missing_ok=True)

    writer = threading.Thread(target=replace)
    writer.start()
    end = time.monotonic() + max(8.0, 20 * report.scale)
    connection, calls = Connection(report.address), 0
    try:
        while time.monotonic() < end:
            # Tokens that the server has not seen yet, so that each needs the keys.
            token = authorization(own.token("olga", "media", jti=calls))
            status, _ = connection.unary(service.CAPABILITIES, b"", token)
            report.expect(status == 0, f"a good token was refused: {status}")
            calls += 1
    finally:
        is_over.set()
        writer.join()
        own.write(good)
    connection.close()
    report.notes.append(f"{calls} calls")


@attack(options=options, memory=96)
def countless_good_tokens(report):
    """More good tokens than the server remembers, each large and for another client."""
    own = trusted()
    connection = Connection(report.address)
    for index in range(report.count(1500, least=150)):
        token = own.token(f"client-{index}", "media", groups="g" * 5000)
        status, _ = connection.unary(service.CAPABILITIES, b"", authorization(token))
        report.expect(status == 0, f"a good token was refused: {status}")
    connection.close()
