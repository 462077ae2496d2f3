"""An issuer of tokens, with keys in a folder that is gone with this process."""

import base64
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

ISSUER = "https://issuer.test"
AUDIENCE = "anechoic-test"


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def openssl(*arguments, data=None):
    return subprocess.run(
        ["openssl", *arguments], input=data, check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout


class Issuer:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="anechoic-issuer-")
        self.key, self.stranger = self.path("issuer.key"), self.path("stranger.key")
        for key in (self.key, self.stranger):
            openssl("genrsa", "-out", key, "2048")
        modulus = openssl("rsa", "-in", self.key, "-noout", "-modulus").split(b"=")[1].strip()
        self.jwk = {
            "kty": "RSA", "alg": "RS256", "kid": "rsa-1", "e": "AQAB",
            "n": encode(bytes.fromhex(modulus.decode()))}
        self.write(self.key_set())

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def key_set(self):
        return json.dumps({"keys": [self.jwk]})

    def write(self, text):
        """Replaces the file of keys."""
        new = Path(self.path("keys.new"))
        new.write_text(text)
        new.replace(self.path("keys.json"))

    @property
    def options(self):
        """The options of a server that trusts this issuer."""
        return (
            "--authentication", "jwt", "--jwt-keys", self.path("keys.json"),
            "--jwt-issuer", ISSUER, "--jwt-audience", AUDIENCE)

    def claims(self, subject, scope, **changes):
        claims = {
            "iss": ISSUER, "aud": AUDIENCE, "sub": subject, "scope": scope,
            "exp": int(time.time()) + 3600}
        claims.update(changes)
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, subject, scope, key=None, header=None, **changes):
        return self.sign(
            json.dumps(self.claims(subject, scope, **changes)).encode(), key, header)

    def sign(self, payload, key=None, header=None):
        header = header or {"alg": "RS256", "kid": "rsa-1"}
        signed = f"{encode(json.dumps(header).encode())}.{encode(payload)}"
        signature = openssl(
            "dgst", "-sha256", "-sign", key or self.key, "-binary", data=signed.encode())
        return f"{signed}.{encode(signature)}"


def authorization(token):
    return [("authorization", f"Bearer {token}")]
