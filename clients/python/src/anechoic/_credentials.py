"""Tokens, and the files of TLS."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Union

import grpc

from .errors import AnechoicError, InvalidRequest, Unauthenticated

StrPath = Union[str, "os.PathLike[str]"]
_LARGEST_TOKEN = 8 << 10


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
                with self.path.open("rb") as file:
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
    """Returns the credentials of a channel with TLS. Throws `AnechoicError` if a file cannot be read."""
    if (certificate_file is None) != (key_file is None):
        message = "certificate_file and key_file: both are needed for a client certificate"
        raise InvalidRequest(message, field="key_file")
    return grpc.ssl_channel_credentials(
        _content(ca_file, "ca_file"), _content(key_file, "key_file"), _content(certificate_file, "certificate_file")
    )


def _content(path: StrPath | None, field: str) -> bytes | None:
    if path is None:
        return None
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise AnechoicError(f"{field}: {path}: {error.strerror}", field=field) from error


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
