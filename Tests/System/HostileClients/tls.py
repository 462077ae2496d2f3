"""Certificates for attacks on a TLS listener, and clients that speak TLS."""

import socket
import ssl
import struct
import subprocess
import tempfile
import time
from pathlib import Path

from raw_client import ACK, PING, PREFACE, SETTINGS, frame

# A client whose handshake takes longer than this was starved, in seconds.
PATIENCE = 8

SCRIPT = r"""
set -e
ec="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
for name in ca other-ca; do
  openssl req -x509 $ec -keyout $name.key -out $name.pem -subj /CN=$name -days 2
done
leaf() {  # NAME AUTHORITY DAYS
  openssl req -new $ec -keyout $1.key -out $1.csr -subj /CN=$1 \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1
  openssl x509 -req -in $1.csr -CA $2.pem -CAkey $2.key -CAcreateserial -out $1.pem \
    -copy_extensions copy -days $3
}
leaf first ca 2; leaf second ca 2; leaf client ca 2; leaf stranger other-ca 2; leaf expired ca -1
cp first.pem server.pem; cp first.key server.key
"""


class Certificates:
    """Certificates in a temporary folder. The server uses server.pem and server.key."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="anechoic-tls-")
        self.folder = Path(self._folder.name)
        subprocess.run(["bash", "-c", SCRIPT], cwd=self.folder, check=True, capture_output=True)

    @property
    def options(self):
        return ["--listen", f"unix:{self.folder}/s", "--tls-certificate", self["server.pem"],
                "--tls-key", self["server.key"], "--tls-client-ca", self["ca.pem"],
                "--handshake-timeout", "2s"]

    def __getitem__(self, name):
        return str(self.folder / name)

    def use(self, name, key=None):
        """Replaces the server's certificate, each file in one step."""
        for source, target in ((f"{name}.pem", "server.pem"), (f"{key or name}.key", "server.key")):
            copy = self.folder / f"{target}.new"
            copy.write_bytes((self.folder / source).read_bytes())
            copy.rename(self.folder / target)


def context(certificates, client="client", version=None):
    result = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    result.load_verify_locations(certificates["ca.pem"])
    result.set_alpn_protocols(["h2"])
    if version:
        result.minimum_version = result.maximum_version = version
        result.set_ciphers("ALL:@SECLEVEL=0")
    if client:
        result.load_cert_chain(certificates[f"{client}.pem"], certificates[f"{client}.key"])
    return result


def plain_socket(address, timeout=PATIENCE):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout)


class Client:
    """An HTTP/2 connection over TLS that only pings."""

    def __init__(self, address, tls):
        self.socket = tls.wrap_socket(plain_socket(address), server_hostname="localhost")
        self.certificate = dict(pair[0] for pair in self.socket.getpeercert()["subject"])["commonName"]
        self.socket.sendall(PREFACE + frame(SETTINGS, 0, 0))
        self.data = b""

    def ping(self):
        """Whether the server answers a PING. A server that refuses a client's certificate closes."""
        end = time.monotonic() + PATIENCE
        try:
            self.socket.sendall(frame(SETTINGS, ACK, 0) + frame(PING, 0, 0, b"8 bytes."))
            while time.monotonic() < end:
                while len(self.data) >= 9:
                    length = struct.unpack(">I", b"\0" + self.data[:3])[0]
                    if len(self.data) < 9 + length:
                        break
                    kind, flags = self.data[3], self.data[4]
                    self.data = self.data[9 + length:]
                    if kind == PING and flags & ACK:
                        return True
                piece = self.socket.recv(65536)
                if not piece:
                    return False
                self.data += piece
        except (OSError, ssl.SSLError):
            pass
        return False

    def close(self):
        self.socket.close()


def is_served(address, tls):
    """Whether a client gets through the handshake and an answer."""
    try:
        client = Client(address, tls)
    except (OSError, ssl.SSLError):
        return False
    answered = client.ping()
    client.close()
    return answered
