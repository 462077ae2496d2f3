"""A headless Chromium, driven over a pipe with the DevTools protocol.

It needs Debian's package chromium and nothing else:

    with Browser() as browser:
        page = browser.open("http://127.0.0.1:50053/live")
        page.wait("document.querySelectorAll('tbody tr').length > 0")
        page.screenshot("page.png")
        assert not page.problems
"""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time


class BrowserError(Exception):
    """Chromium is missing, has ended, or refused a command."""


class ScriptError(BrowserError):
    """A script that the page was given threw an error."""


class Browser:
    """A Chromium process with a profile of its own, which ends with the `with` block."""

    def __init__(self, *arguments, program="chromium"):
        self.program, self.arguments = program, arguments
        self.last = 0
        self.buffer = b""
        self.pages = {}

    def __enter__(self):
        if not shutil.which(self.program):
            raise BrowserError(f"{self.program} is not installed; scripts/bootstrap installs it")
        self.profile = tempfile.mkdtemp(prefix="browser-")
        (inner_in, self.outgoing), (self.incoming, inner_out) = _high_pipe(), _high_pipe()
        # Chromium reads commands from descriptor 3 and writes answers to descriptor 4.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{inner_in} 4>&{inner_out}', "bash", self.program,
             "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run",
             "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking",
             "--disable-component-update", "--disable-extensions", "--disable-sync",
             "--force-color-profile=srgb", "--font-render-hinting=none", "--hide-scrollbars",
             "--mute-audio", "--autoplay-policy=no-user-gesture-required",
             f"--user-data-dir={self.profile}", *self.arguments, "about:blank"],
            pass_fds=(inner_in, inner_out), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(inner_in)
        os.close(inner_out)
        return self

    def __exit__(self, *_):
        try:
            self.command("Browser.close")
            self.process.wait(10)
        except (BrowserError, subprocess.TimeoutExpired):
            pass
        finally:
            try:
                # The process and its children have a group of their own.
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            os.close(self.outgoing)
            os.close(self.incoming)
            shutil.rmtree(self.profile, ignore_errors=True)

    def open(self, url, **shape):
        """Opens a page in a new tab. `shape` is passed to `Page.emulate` first."""
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.command(f"{domain}.enable")
        if shape:
            page.emulate(**shape)
        page.go(url)
        return page

    def command(self, method, session=None, timeout=30, **parameters):
        """Sends a command, and returns its result. Events that come meanwhile are delivered."""
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        data = json.dumps(command).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self.outgoing, data):]
        except OSError as error:
            raise BrowserError(f"Chromium has ended: {error}") from None
        end = time.monotonic() + timeout
        while True:
            message = self.receive(end - time.monotonic())
            if message is None:
                raise BrowserError(f"{method}: no answer within {timeout} s")
            if message.get("id") == self.last:
                if "error" in message:
                    raise BrowserError(f"{method}: {message['error']['message']}")
                return message["result"]

    def receive(self, timeout):
        """Returns the next message, or None if none comes in time. Delivers it if it is an event."""
        end = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.incoming], [], [], max(0, end - time.monotonic()))
            if not ready:
                return None
            data = os.read(self.incoming, 1 << 20)
            if not data:
                raise BrowserError("Chromium has ended")
            self.buffer += data
        line, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(line)
        if "method" in message and message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].note(message["method"], message["params"])
        return message


class Page:
    """A tab. `problems` has the errors of its scripts and of its console, and what the browser
    refused; `requests` has the addresses that it has asked for."""

    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.problems, self.requests = [], []

    def command(self, method, **parameters):
        return self.browser.command(method, session=self.session, **parameters)

    def note(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(_text_of(details))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            values = [str(a.get("value", a.get("description", ""))) for a in parameters["args"]]
            self.problems.append(" ".join(values))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            entry = parameters["entry"]
            self.problems.append(f"{entry['text']} {entry.get('url', '')}".strip())
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def go(self, url):
        """Loads an address, and returns when its document and scripts have been loaded."""
        result = self.command("Page.navigate", url=url)
        if "errorText" in result:
            raise BrowserError(f"{url}: {result['errorText']}")
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def emulate(self, width=1280, height=800, dark=False, scale=1, phone=False):
        """Sets the size of the window in CSS pixels, and the scheme of colours."""
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=scale, mobile=phone)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def evaluate(self, expression, timeout=30):
        """Returns the value of an expression of JavaScript. A promise is awaited."""
        result = self.browser.command(
            "Runtime.evaluate", session=self.session, timeout=timeout, expression=expression,
            awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            raise ScriptError(f"{_text_of(result['exceptionDetails'])} in: {expression}")
        return result["result"].get("value")

    def wait(self, condition, timeout=30):
        """Waits until an expression is true for JavaScript, and returns its value."""
        end = time.monotonic() + timeout
        while True:
            try:
                value = self.evaluate(
                    f"Promise.resolve({condition}).then(value => value ? [value] : null)")
                if value:
                    return value[0]
            except ScriptError:
                # The elements of the condition may not exist yet.
                value = None
            if time.monotonic() > end:
                raise AssertionError(f"within {timeout} s this never became true: {condition}")
            self.browser.receive(0.05)

    def key(self, key, modifiers=0):
        """Presses a key by its name: Tab, Enter, Escape, ArrowDown, a. `modifiers`: 8 is Shift."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowUp": 38, "ArrowDown": 40}.get(key)
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        common = {"key": key, "modifiers": modifiers, "code": "Space" if key == " " else key}
        if code:
            common["windowsVirtualKeyCode"] = code
        self.command("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.command("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        """Types text into the element that has the focus."""
        self.command("Input.insertText", text=text)

    def screenshot(self, path, whole=False):
        """Writes a picture of the window, or of the whole page, as PNG."""
        data = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                            optimizeForSpeed=False)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.browser.command("Target.closeTarget", targetId=self.target)
        del self.browser.pages[self.session]


def _text_of(details):
    exception = details.get("exception", {})
    return exception.get("description") or exception.get("value") or details["text"]


def _high_pipe():
    """Returns the ends of a pipe, with numbers that do not clash with descriptors 3 and 4."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high
