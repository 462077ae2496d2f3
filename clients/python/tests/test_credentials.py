"""Tokens, TLS and client certificates."""

import base64
import json
import subprocess
import time

import pytest
from conftest import in_loop

import anechoic
from anechoic import Connection, Format

MONO = Format(16000)


def openssl(folder, *arguments, stdin=None):
    return subprocess.run(["openssl", *arguments], cwd=folder, input=stdin, check=True, capture_output=True).stdout


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    """An authority, certificates of a server and a client, and the key of an issuer of tokens."""
    folder = tmp_path_factory.mktemp("keys")
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl(folder, "req", "-x509", *new, "-days", "2", "-subj", "/CN=Authority", "-keyout", "ca.key", "-out", "ca.pem")
    names = {"server": "DNS:localhost,IP:127.0.0.1", "client": "URI:spiffe://voice.example/kitchen"}
    for name, alternative in names.items():
        openssl(folder, "req", *new, "-subj", f"/CN={name}", "-addext", f"subjectAltName={alternative}",
                "-keyout", f"{name}.key", "-out", f"{name}.csr")
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-days", "2", "-copy_extensions", "copy", "-out", f"{name}.pem")
    openssl(folder, "req", "-x509", *new, "-days", "2", "-subj", "/CN=Other", "-keyout", "x.key", "-out", "other.pem")
    openssl(folder, "genrsa", "-out", "issuer.key", "2048")
    openssl(folder, "rsa", "-in", "issuer.key", "-pubout", "-out", "keys.pem")
    return folder


def token(folder, scope="media read control"):
    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    claims = {"iss": "https://login.example", "aud": "anechoic", "sub": "olga", "scope": scope,
              "exp": int(time.time()) + 3600}
    text = encode(b'{"alg":"RS256"}') + b"." + encode(json.dumps(claims).encode())
    signature = openssl(folder, "dgst", "-sha256", "-sign", "issuer.key", "-binary", stdin=text)
    return (text + b"." + encode(signature)).decode()


async def try_session(connection):
    async with connection, anechoic.Session(connection, microphone=MONO) as session:
        async with anechoic.Sessions(connection) as sessions:
            return (await sessions.get(session.id)).owner


@in_loop
async def test_a_token_from_a_file_is_read_again_when_it_changes(start_server, keys, tmp_path):
    server = start_server("--authentication", "jwt", "--jwt-keys", str(keys / "keys.pem"), "--jwt-issuer",
                          "https://login.example", "--jwt-audience", "anechoic")
    file = tmp_path / "token"
    file.write_text(token(keys) + "\n")
    assert await try_session(Connection(server.address, token_file=file)) == "olga"
    assert await try_session(Connection(server.address, token=lambda: token(keys))) == "olga"

    with pytest.raises(anechoic.Unauthenticated) as caught:
        await try_session(Connection(server.address))
    assert caught.value.reason == "CREDENTIALS_MISSING"
    with pytest.raises(anechoic.Unauthenticated) as caught:
        await try_session(Connection(server.address, token="no.real.token"))
    assert caught.value.reason == "CREDENTIALS_INVALID"
    connection = Connection(server.address, token_file=file)
    file.write_text(token(keys, scope="media"))
    with pytest.raises(anechoic.PermissionDenied) as caught:
        await try_session(connection)
    assert caught.value.reason == "SCOPE_MISSING"


@in_loop
async def test_a_token_is_not_sent_in_plaintext_to_another_machine():
    with pytest.raises(anechoic.Unauthenticated, match="without TLS to another machine"):
        await try_session(Connection("192.0.2.1:50051", token="secret"))


@pytest.mark.parametrize("content", ["", "two words", "x" * 9000])
@in_loop
async def test_a_file_without_a_token_is_named(tmp_path, content):
    file = tmp_path / "token"
    file.write_text(content)
    with pytest.raises(anechoic.InvalidRequest, match=f"token file {file}"):
        Connection("127.0.0.1:1", token_file=file)
    file.write_text("token")
    connection = Connection("127.0.0.1:1", token_file=file)
    file.write_text(content)
    with pytest.raises(anechoic.Unauthenticated, match=f"token file {file}"):
        await try_session(connection)


@in_loop
async def test_client_certificates_are_presented_and_servers_verified(start_server, keys):
    server = start_server(
        "--tls-certificate", str(keys / "server.pem"), "--tls-key", str(keys / "server.key"), "--tls-client-ca",
        str(keys / "ca.pem"), "--authentication", "certificate", "--certificate-default-scopes", "media,read")
    own = {"certificate_file": keys / "client.pem", "key_file": keys / "client.key"}
    owner = await try_session(Connection(server.address, ca_file=keys / "ca.pem", **own))
    assert owner == "spiffe://voice.example/kitchen"
    with pytest.raises(anechoic.ServerUnavailable):
        await try_session(Connection(server.address, ca_file=keys / "other.pem", connect_timeout=0, **own))
    with pytest.raises(anechoic.ServerUnavailable):
        await try_session(Connection(server.address, connect_timeout=0))
    with pytest.raises(anechoic.AnechoicError, match="ca_file: nowhere.pem: No such file"):
        Connection(server.address, ca_file="nowhere.pem")
    with pytest.raises(anechoic.InvalidRequest, match="both are needed"):
        Connection(server.address, certificate_file=keys / "client.pem")
