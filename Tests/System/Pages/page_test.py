"""The common parts of the tests of pages: a server, a browser, and other sites."""

import json
import os
import random
import socket
import threading
import unittest
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from browser import Browser
from calls import Call, page_of
from service import Server

SERVER = os.environ["ANECHOIC_SERVER"]
SHOTS = os.environ.get("ANECHOIC_SCREENSHOTS")
PHONE = {"width": 360, "height": 740, "phone": True}


def start(*options):
    server = Server(
        SERVER, "--http-listen", "127.0.0.1:0", "--frame-budget", "0", "--resume-window", "0",
        *options)
    server.page = page_of(server)
    return server


@contextmanager
def evil_site():
    """Another site on this machine. Gives its address."""
    class Site(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>evil</title><body>")

        def log_message(self, *_):
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{site.server_port}/"
    site.shutdown()
    site.server_close()


def lasting_port():
    """Returns a free port that the system gives to no connection while its server is away."""
    first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(first // 2, first)
        try:
            socket.create_server(("127.0.0.1", port)).close()
            return port
        except OSError:
            pass


def text(page, selector):
    return page.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")


def says(selector, words):
    """Returns a condition: an element says these words."""
    return f"document.querySelector({json.dumps(selector)}).innerText.includes({json.dumps(words)})"


class PageTest(unittest.TestCase):
    """A server with a call, and a browser."""

    options = ()
    browser_options = ()
    page = "live"

    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(Browser(*cls.browser_options))
        cls.server = start(*cls.options)
        cls.addClassCleanup(cls.server.stop)

    def call(self, session, **fields):
        call = Call(self.server.address, session, **fields)
        self.addCleanup(call.end)
        return call

    def open(self, path="", **shape):
        page = self.browser.open(self.address() + path, **({"width": 1360, "height": 900} | shape))
        self.addCleanup(page.close)
        return page

    def address(self):
        """The address of the page."""
        return self.server.page.removesuffix("live") + self.page

    def picture(self, page, name, whole=False):
        if SHOTS:
            page.screenshot(f"{SHOTS}/{name}.png", whole=whole)
