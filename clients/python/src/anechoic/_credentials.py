"""Addresses, tokens, and the files of TLS."""

from __future__ import annotations

import ipaddress
import os
import re
from pathlib import Path
from typing import Any, Callable, Union

import grpc

from ._checks import check_path, is_whole
from ._regular import open_regular
from .errors import InvalidRequest, Unauthenticated

StrPath = Union[str, "os.PathLike[str]"]
Token = Union[str, Callable[[], str]]
_OTHER_SCHEMES = ("unix-abstract:", "dns:", "ipv4:", "ipv6:", "xds:", "vsock:")
"""The schemes of addresses that are left to gRPC."""
_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+(%[!-~]+)?\]|[A-Za-z0-9_.-]+):([0-9]{1,5})")
_LARGEST_TOKEN = 8 << 10


def check_address(address: object) -> None:
    """Throws `InvalidRequest` for a text that cannot be the address of a server.

    >>> check_address("voice.example")
    Traceback (most recent call last):
    anechoic.errors.InvalidRequest: server: 'voice.example' is not an address; use HOST:PORT, [IPv6]:PORT or unix:PATH
    """
    if isinstance(address, str):
        if address.startswith("unix:") and len(address) > len("unix:") and "\0" not in address and is_whole(address):
            return
        if address.startswith(_OTHER_SCHEMES) and address.isprintable():
            return
        found = _ADDRESS.fullmatch(address)
        if found is not None and 1 <= int(found[3]) <= 65535:
            return
    message = f"server: {address!r} is not an address; use HOST:PORT, [IPv6]:PORT or unix:PATH"
    raise InvalidRequest(message, field="server")


def token_of(token: Any, file: Any) -> Token | None:
    """Returns a token, or its source. Throws `InvalidRequest` for one that can never be sent."""
    if file is None:
        if token is None or callable(token) or is_token(token):
            return token  # type: ignore[no-any-return]
        message = "token: must be printable ASCII characters without a space, or a function that returns them"
        raise InvalidRequest(message, field="token")
    if token is not None:
        raise InvalidRequest("token_file: give either token or token_file", field="token_file")
    found = TokenFile(check_path("token_file", file))
    try:
        found.token()
    except Unauthenticated as error:
        raise InvalidRequest(str(error), field="token_file") from error
    return found.token


def is_token(token: object) -> bool:
    """Whether a value can be sent as a token."""
    return isinstance(token, str) and all("!" <= each <= "~" for each in token)


class TokenFile:
    """A file with a token, which is read again when it has changed."""

    def __init__(self, path: StrPath) -> None:
        self.path = Path(path)
        self._known: tuple[int, int] = (0, 0)
        self._token = ""

    def token(self) -> str:
        """Returns the token. Throws `Unauthenticated` if the file has none."""
        try:
            status = self.path.stat()
            if (status.st_mtime_ns, status.st_size) != self._known:
                with open_regular(self.path) as file:
                    self._token = self._checked(file.read(_LARGEST_TOKEN + 1))
                self._known = (status.st_mtime_ns, status.st_size)
        except OSError as error:
            raise Unauthenticated(f"token file {self.path}: {error.strerror}", field="token_file") from error
        return self._token

    def _checked(self, content: bytes) -> str:
        token = content.strip().decode("ascii", "replace")
        if len(content) > _LARGEST_TOKEN or not token or any(not "!" <= each <= "~" for each in token):
            message = f"token file {self.path}: the file must contain one token of at most {_LARGEST_TOKEN} bytes"
            raise Unauthenticated(message, field="token_file")
        return token


def tls_credentials(
    ca_file: StrPath | None, certificate_file: StrPath | None, key_file: StrPath | None
) -> grpc.ChannelCredentials:
    """Returns the credentials of a channel with TLS. Throws `InvalidRequest` if a file cannot be used."""
    if (certificate_file is None) != (key_file is None):
        message = "certificate_file and key_file: both are needed for a client certificate"
        raise InvalidRequest(message, field="key_file")
    return grpc.ssl_channel_credentials(
        _content(ca_file, "ca_file", b"CERTIFICATE"), _content(key_file, "key_file", b"PRIVATE KEY"),
        _content(certificate_file, "certificate_file", b"CERTIFICATE"),
    )


def _content(path: StrPath | None, field: str, kind: bytes) -> bytes | None:
    if path is None:
        return None
    try:
        with open_regular(check_path(field, path)) as file:
            content = file.read()
    except OSError as error:
        raise InvalidRequest(f"{field}: {path}: {error.strerror}", field=field) from error
    if b"-----BEGIN " not in content or kind not in content:
        raise InvalidRequest(f"{field}: {path}: the file contains no {kind.decode().lower()} (PEM)", field=field)
    return content


def is_local(address: str) -> bool:
    """Whether other machines cannot reach an address, nor read what is sent to it.

    >>> [is_local(each) for each in ("unix:/run/a.sock", "localhost:1", "[::1]:1", "127.0.0.2:1", "voice.example:1")]
    [True, True, True, True, False]
    """
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].strip("[]")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
