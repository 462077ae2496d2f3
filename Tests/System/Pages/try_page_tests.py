"""The page /try in a headless Chromium, whose microphone is the sample, against a real server."""

import base64
import io
import json
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest
import urllib.error
import urllib.request
import wave

import grpc

import service
from browser import Browser
from issuer import Issuer
from page_test import PHONE, SERVER, PageTest, evil_site, lasting_port, says, start, text
from service import ROOT, sessions_pb2 as sessions
from tls import Certificates

MICROPHONE = (
    "--use-fake-device-for-media-stream",
    f"--use-file-for-fake-audio-capture={ROOT / 'sample' / 'microphone.wav'}")
ALLOWED = (*MICROPHONE, "--use-fake-ui-for-media-stream")
RECORDED = "!document.querySelector('#after').disabled"
RUNS = "!document.querySelector('#running').hidden"
ROOM = """(() => {
  // A room: what the page plays comes back into its microphone 90 ms later, 6 dB softer, with nobody talking.
  const own = new AudioContext({ sampleRate: 48000 });
  const microphone = own.createMediaStreamDestination();
  navigator.mediaDevices.getUserMedia = async () => { await own.resume(); return microphone.stream; };
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (target, ...rest) {
    if (target === this.context.destination && this instanceof GainNode && this.context !== own) {
      const played = this.context.createMediaStreamDestination();
      connect.call(this, played);
      const delay = new DelayNode(own, { delayTime: 0.09 });
      const wall = new GainNode(own, { gain: 0.5 });
      connect.call(connect.call(connect.call(own.createMediaStreamSource(played.stream), delay), wall), microphone);
    }
    return connect.call(this, target, ...rest);
  };
})()"""


VOICES = """(async (person) => {
  // A microphone at which two voices can talk: the person, by a part of the sample, and farther away the bot's voice.
  const own = new AudioContext({ sampleRate: 48000 });
  const microphone = own.createMediaStreamDestination();
  navigator.mediaDevices.getUserMedia = async () => { await own.resume(); return microphone.stream; };
  const bytes = Uint8Array.from(atob(person), (character) => character.charCodeAt(0));
  const bot = await (await fetch("try/bot.wav")).arrayBuffer();
  const voices = { person: await own.decodeAudioData(bytes.buffer), other: await own.decodeAudioData(bot) };
  const room = new AudioBuffer({ length: 19200, sampleRate: 48000 });
  room.copyToChannel(Float32Array.from({ length: 19200 }, (_, at) => (Math.random() - 0.5) * 10 ** (-at / 6400)), 0);
  const air = new ConvolverNode(own, { buffer: room });
  const distance = new GainNode(own, { gain: 0.4 });
  air.connect(distance).connect(microphone);
  let source;
  window.talks = (name) => {
    source?.stop();
    source = voices[name] && new AudioBufferSourceNode(own, { buffer: voices[name], loop: true });
    source?.connect(name === "other" ? air : microphone);
    source?.start();
  };
})(%s)"""
PERSON_TALKS = 9.08, 13.91
"""The time in seconds in which the person talks alone in the sample: sample/segments.json."""


def click(page, selector):
    page.evaluate(f"document.querySelector({json.dumps(selector)}).click()")


def level(page, side):
    """The level of a recording in dBFS, as the page shows it."""
    return float(text(page, f"#{side} b").replace("−", "-").split()[0])


def person():
    """The person of the sample, alone, as a WAV file in base64."""
    with wave.open(str(ROOT / "sample" / "microphone.wav")) as file:
        rate, data = file.getframerate(), file.readframes(file.getnframes())
    start, end = (2 * round(time * rate) for time in PERSON_TALKS)
    output = io.BytesIO()
    with wave.open(output, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(data[start:end])
    return base64.b64encode(output.getvalue()).decode()


class Relay:
    """Passes on connections to a port of this machine, until they are cut."""

    def __init__(self, target):
        self.target = target
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.ends = []
        self.is_away = False
        """Whether new connections are refused."""

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        self.cut()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            if self.is_away:
                near.close()
                continue
            far = socket.create_connection(("127.0.0.1", self.target))
            self.ends += [near, far]
            for pair in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=pair, daemon=True).start()

    @staticmethod
    def copy(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        """Resets all connections."""
        for end in self.ends:
            try:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()
        self.ends = []


class TryPageTest(PageTest):
    browser_options = ALLOWED
    page = "try"

    def begin(self, **shape):
        page = self.open(**shape)
        click(page, "#start")
        page.wait(RUNS)
        return page

    def sleep(self, page):
        """Lets the tab sleep, after which another session begins."""
        page.evaluate("(() => { const begin = performance.now.bind(performance); window.later = 0;"
                      "performance.now = () => begin() + window.later })()")
        # On a busy machine, something else may be announced before this test looks again.
        page.evaluate("(() => { const announcer = document.querySelector('#announcer'); window.told = [];"
                      "new MutationObserver(() => window.told.push(announcer.innerText))"
                      ".observe(announcer, { childList: true, characterData: true, subtree: true }) })()")
        page.evaluate("window.later = 60000")
        # A busy machine looks at the clock late.
        page.wait("window.told.some(text => text.includes('This tab slept for 6'))")


class LostServerTest(TryPageTest):
    """The server keeps its port and its sessions for a while, so that the page can lose it and find it again."""

    @classmethod
    def setUpClass(cls):
        cls.port = lasting_port()
        cls.options = ("--http-listen", f"127.0.0.1:{cls.port}", "--resume-window", "30s")
        super().setUpClass()


class TryTests(TryPageTest):
    def test_one_click_records_and_plays_before_and_after(self):
        page = self.open()
        self.picture(page, "try")
        click(page, "#start")
        page.wait(says("#connection", "Connected"))
        page.wait(says("#bot", "Stop the bot"))
        page.wait("document.querySelector('#progress').value > 0.5")
        self.picture(page, "try-records", whole=True)
        page.wait(RECORDED)
        page.wait("document.querySelector('#after').ariaPressed === 'true'")
        self.assertEqual(text(page, "#bot"), "Start the bot")
        # The sample talks, and what the server returns is as loud as a voice.
        self.assertGreater(level(page, "before"), -50)
        self.assertGreater(level(page, "after"), -50)
        self.picture(page, "try-plays", whole=True)
        click(page, "#before")
        page.wait("document.querySelector('#before').ariaPressed === 'true'")
        self.assertEqual(page.evaluate("document.querySelector('#after').ariaPressed"), "false")
        page.wait("document.querySelector('#before').ariaPressed === 'false'")
        page.wait(says("#tiles", "ms"))
        page.wait(says("#events", "talks"))
        self.assertNotIn("missing", text(page, "#events"))
        self.assertEqual(page.problems, [])

    def test_a_muted_person_who_talks_is_told(self):
        page = self.begin()
        click(page, "#mute")
        page.wait(says("#state", "muted"))
        page.wait("!document.querySelector('#muted-talker').hidden")
        self.assertEqual(page.evaluate("document.querySelector('#muted-talker').role"), "alert")
        page.wait("document.querySelectorAll('#meters .level')[1].innerText.includes('< −72 dBFS')")
        self.picture(page, "try-muted", whole=True)
        page.wait(RECORDED)
        self.assertEqual(text(page, "#compare-hint"), "Recorded. You were muted, so the two cannot be compared.")
        self.assertEqual(text(page, "#after b"), "")
        click(page, "#mute")
        page.wait("document.querySelector('#muted-talker').hidden")
        self.assertEqual(text(page, "#mute"), "Mute")

    def test_modes_reach_the_session(self):
        page = self.begin()
        click(page, "[value=MIC_MODE_VOICE_ISOLATION]")
        page.wait(says("#events", "voice isolation"))
        self.assertIn("lowers everything else", text(page, "#mode-hint"))

    def test_the_page_works_by_keyboard(self):
        page = self.open()
        page.evaluate("document.querySelector('#start').focus()")
        page.key("Enter")
        page.wait(RUNS)
        page.evaluate("document.querySelector('#mute').focus()")
        page.key(" ")
        page.wait(says("#mute", "Unmute"))
        unnamed = page.evaluate(
            "[...document.querySelectorAll('button, select, input, textarea, progress, [role=meter]')]"
            ".filter(e => e.checkVisibility() && !e.ariaLabel && !e.labels?.length && !e.innerText).length")
        self.assertEqual(unnamed, 0)

    def test_the_page_fits_a_phone_and_the_dark(self):
        page = self.begin(**PHONE, scale=2)
        page.wait(RECORDED)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        self.picture(page, "try-phone", whole=True)
        page.emulate(width=1280, height=860, dark=True)
        light, dark = "rgb(255, 255, 255)", page.evaluate(
            "getComputedStyle(document.querySelector('.card')).backgroundColor")
        self.assertNotEqual(dark, light)
        page.evaluate("new Promise(done => setTimeout(done, 300))")
        self.picture(page, "try-dark", whole=True)

    def test_a_microphone_that_goes_away_is_told(self):
        page = self.open()
        page.evaluate(
            "(() => { const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
            "navigator.mediaDevices.getUserMedia = async (wanted) => window.stream = await open(wanted) })()")
        click(page, "#start")
        page.wait(RUNS)
        click(page, "#mute")
        page.evaluate("window.stream.getTracks()[0].dispatchEvent(new Event('ended'))")
        page.wait(says("#problem", "The microphone is gone"))
        self.assertEqual(page.evaluate("document.activeElement.id"), "problem-title")
        click(page, "#again")
        page.wait(RUNS)
        # The person is still muted, until the person switches the microphone off.
        self.assertEqual((text(page, "#mute"), text(page, "#state")), ("Unmute", "muted"))
        click(page, "#stop")
        click(page, "#start")
        page.wait(RUNS)
        self.assertEqual(text(page, "#mute"), "Mute")

    def test_another_microphone_begins_another_session(self):
        page = self.begin()
        page.wait("document.querySelector('#microphone').options.length > 1")
        page.evaluate(
            "(() => { const list = document.querySelector('#microphone'); list.selectedIndex = 1;"
            "list.dispatchEvent(new Event('change')) })()")
        page.wait(says("#connection", "Connected"))
        page.wait("document.querySelector('#microphone').selectedIndex === 1")
        page.wait(RECORDED)
        self.assertEqual(page.problems, [])

    def test_a_tab_that_slept_begins_anew(self):
        page = self.begin()
        page.wait(RECORDED)
        self.sleep(page)
        page.wait(says("#connection", "Connected"))
        # The bot is silent, and the recording is still there.
        self.assertEqual(text(page, "#bot"), "Start the bot")
        self.assertTrue(page.evaluate(RECORDED))

    def test_the_microphone_is_switched_off(self):
        page = self.begin()
        click(page, "#stop")
        self.assertFalse(page.evaluate("document.querySelector('#welcome').hidden"))
        self.assertEqual(text(page, "#connection"), "Not started")
        end = time.monotonic() + 10
        metrics = self.server.page.removesuffix("live") + "metrics"
        while b"\nanechoic_sessions 0.0" not in urllib.request.urlopen(metrics).read():
            self.assertLess(time.monotonic(), end, "the session did not end")
            time.sleep(0.05)

    def test_another_site_opens_neither_the_page_nor_a_websocket(self):
        with evil_site() as site:
            page = self.browser.open(site)
            address = self.address().replace("http", "ws").removesuffix("try") + "v1/process"
            outcome = page.evaluate(
                f"new Promise(done => {{ const socket = new WebSocket({json.dumps(address)});"
                "socket.onopen = () => done('open'); socket.onclose = () => done('refused') })")
            self.assertEqual(outcome, "refused")
            page.evaluate(
                "new Promise(done => { const frame = document.createElement('iframe');"
                f"frame.src = {json.dumps(self.address())}; frame.onload = done;"
                "document.body.append(frame) })")
            self.assertFalse(any("main.js" in address for address in page.requests), page.requests)
            page.close()


class RoomTests(TryPageTest):
    def test_the_echo_of_the_bot_is_found_and_removed(self):
        page = self.open()
        page.evaluate(ROOM)
        click(page, "#start")
        page.wait(RUNS)
        page.wait(RECORDED)
        click(page, "#record")
        page.wait("document.querySelector('#record').disabled")
        page.wait(RECORDED)
        self.assertGreater(level(page, "before"), -45)
        # The page's own audio has gaps on a busy machine, each a new delay of the echo. EchoPathTests and the
        # calls of the benchmark measure the canceller.
        self.assertLess(level(page, "after"), level(page, "before") - 10)
        self.assertRegex(text(page, "#tiles"), r"Echo delay\s+\d+ ms")
        self.picture(page, "try-room", whole=True)


class EnrollmentTests(LostServerTest):
    def begin_with_voices(self, page):
        page.evaluate(VOICES % json.dumps(person()))
        click(page, "#start")
        page.wait(RUNS)
        return page

    def learn(self, page):
        page.evaluate("window.talks('person')")
        page.evaluate("document.querySelector('#learn').focus()")
        page.key("Enter")
        page.wait(says("#learn", "Listening"))
        page.wait("!document.querySelector('#forget').hidden")

    def test_a_voice_is_learnt_by_keyboard_and_others_are_lowered(self):
        page = self.begin_with_voices(self.open())
        self.learn(page)
        self.assertTrue(page.evaluate("document.querySelector('[value=MIC_MODE_VOICE_ISOLATION]').checked"))
        self.assertEqual(page.evaluate("document.activeElement.id"), "learn")
        page.wait(says("#voice-hint", "lowers all others"))
        self.picture(page, "try-learnt", whole=True)
        levels = {}
        for name in ("person", "other"):
            page.evaluate(f"window.talks({json.dumps(name)})")
            click(page, "#others")
            page.wait(f"!({RECORDED})")
            page.wait(RECORDED)
            self.assertEqual(text(page, "#bot"), "Start the bot")
            levels[name] = level(page, "before") - level(page, "after")
        self.assertLess(levels["person"], 6, levels)
        self.assertGreater(levels["other"], levels["person"] + 6, levels)
        click(page, "#forget")
        page.wait("document.querySelector('#forget').hidden")
        self.assertIn("can learn your voice", text(page, "#voice-hint"))
        self.assertEqual(page.problems, [])

    def test_a_voice_is_learnt_on_a_phone_and_kept_in_the_next_session(self):
        page = self.begin_with_voices(self.open(**PHONE, scale=2))
        self.learn(page)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        self.picture(page, "try-learnt-phone", whole=True)
        self.sleep(page)
        page.wait(says("#connection", "Connected"))
        self.assertIn("knows your voice", text(page, "#voice-hint"))
        click(page, "#stop")
        click(page, "#start")
        page.wait(RUNS)
        self.assertIn("can learn your voice", text(page, "#voice-hint"))

    def test_a_voice_is_learnt_although_the_request_was_lost(self):
        with Relay(self.port) as relay:
            page = self.browser.open(f"http://127.0.0.1:{relay.port}/try", width=1360, height=900)
            self.addCleanup(page.close)
            self.begin_with_voices(page)
            page.evaluate("(() => { const send = WebSocket.prototype.send; WebSocket.prototype.send = function (data) {"
                          "if (typeof data !== 'string' || !data.includes('enrollVoice')) return send.call(this, data);"
                          "WebSocket.prototype.send = send } })()")
            page.evaluate("window.talks('person')")
            click(page, "#learn")
            page.wait(says("#learn", "Listening"))
            # A session waits for its client only after sound has come from it.
            page.wait(says("#events", "near end talks"))
            relay.cut()
            page.wait(says("#events", "the media client is back"))
            page.wait("!document.querySelector('#forget').hidden")
            self.assertIn("knows your voice", text(page, "#voice-hint"))

    def test_a_voice_is_forgotten_while_the_server_is_away(self):
        with Relay(self.port) as relay:
            page = self.browser.open(f"http://127.0.0.1:{relay.port}/try", width=1360, height=900)
            self.addCleanup(page.close)
            self.begin_with_voices(page)
            self.learn(page)
            relay.is_away = True
            relay.cut()
            page.wait(says("#connection", "Disconnected"))
            click(page, "#forget")
            self.assertTrue(page.evaluate("document.querySelector('#forget').hidden"))
            self.assertIn("can learn your voice", text(page, "#voice-hint"))
            relay.is_away = False
            # The same session forgets it too.
            page.wait(says("#events", "the media client is back"))
            page.wait(says("#events", "the nearest voice is kept"))
            self.assertIn("can learn your voice", text(page, "#voice-hint"))
            self.sleep(page)
            page.wait(says("#connection", "Connected"))
            self.assertIn("can learn your voice", text(page, "#voice-hint"))


class DeniedTests(TryPageTest):
    browser_options = (*MICROPHONE, "--deny-permission-prompts")

    def test_a_blocked_microphone_is_explained(self):
        page = self.open()
        click(page, "#start")
        page.wait(says("#problem", "The microphone is blocked"))
        self.assertIn("address bar", text(page, "#problem-advice"))
        self.picture(page, "try-blocked")

    def test_a_browser_without_a_microphone_is_explained(self):
        page = self.open()
        page.evaluate("navigator.mediaDevices.getUserMedia = () =>"
                      "Promise.reject(new DOMException('none', 'NotFoundError'))")
        click(page, "#start")
        page.wait(says("#problem", "There is no microphone"))

    def test_a_page_without_a_secure_context_says_where_it_works(self):
        server = start("--http-listen", "0.0.0.0:0", "--websocket", "on", "--live-page", "on")
        self.addCleanup(server.stop)
        address = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=True).stdout.split()
        if not address:
            self.skipTest("this machine has no address but 127.0.0.1")
        port = re.search(r":(\d+)/live", server.page)[1]
        page = self.browser.open(f"http://{address[0]}:{port}/try")
        self.addCleanup(page.close)
        page.wait(says("#problem", "HTTPS"))
        self.assertIn(f"http://localhost:{port}/try", text(page, "#problem-advice"))


class LostTryServerTests(LostServerTest):
    def test_a_session_goes_on_after_its_connection_was_lost(self):
        with Relay(self.port) as relay:
            page = self.browser.open(f"http://127.0.0.1:{relay.port}/try", width=1360, height=900)
            self.addCleanup(page.close)
            click(page, "#start")
            page.wait(RECORDED)
            page.evaluate("document.querySelector('#mute').click()")
            page.wait(says("#events", "muted"))
            relay.cut()
            page.wait(says("#events", "the media client is back"))
            # It is the same session, which is still muted.
            self.assertIn("muted by", text(page, "#events"))
            self.assertEqual(text(page, "#mute"), "Unmute")
            click(page, "#record")
            page.wait("document.querySelector('#record').disabled")
            page.wait(RECORDED)

    def call(self, method, request, response):
        """Calls a method of the service for sessions, as another client."""
        with grpc.insecure_channel(self.server.address) as channel:
            return channel.unary_unary(
                service.SESSIONS + method, request_serializer=type(request).SerializeToString,
                response_deserializer=response.FromString)(request, timeout=10)

    def only_session(self):
        return self.call(
            "ListSessions", sessions.ListSessionsRequest(), sessions.ListSessionsResponse).sessions[0]

    def set_mode(self, mode):
        request = sessions.UpdateSessionRequest()
        request.session.name = self.only_session().name
        request.session.config.preferred_mic_mode = mode
        request.update_mask.paths.append("config.preferred_mic_mode")
        self.call("UpdateSession", request, sessions.UpdateSessionResponse)

    def wait_for_mode(self, mode):
        end = time.monotonic() + 20
        while self.only_session().config.preferred_mic_mode != mode:
            self.assertLess(time.monotonic(), end, f"the mode is {self.only_session().config.preferred_mic_mode}")
            time.sleep(0.05)

    def test_a_mode_chosen_while_the_connection_was_lost_stays(self):
        standard, isolation, wide = 1, 2, 3
        with Relay(self.port) as relay:
            page = self.browser.open(f"http://127.0.0.1:{relay.port}/try", width=1360, height=900)
            self.addCleanup(page.close)
            click(page, "#start")
            page.wait(RECORDED)
            click(page, "[value=MIC_MODE_WIDE_SPECTRUM]")
            self.wait_for_mode(wide)
            relay.is_away = True
            relay.cut()
            page.wait(says("#connection", "Disconnected"))
            self.set_mode(isolation)
            relay.is_away = False
            page.wait(says("#events", "the media client is back"))
            # The page would have told its own mode before the mute of the same connection.
            page.evaluate("document.querySelector('#mute').click()")
            page.wait(says("#events", "muted"))
            self.assertEqual(self.only_session().config.preferred_mic_mode, isolation)
            page.wait("document.querySelector('[value=MIC_MODE_VOICE_ISOLATION]').checked")
            page.wait(says("#mode-hint", "Keeps the voice"))
            relay.is_away = True
            relay.cut()
            page.wait(says("#connection", "Disconnected"))
            click(page, "[value=MIC_MODE_STANDARD]")
            relay.is_away = False
            self.wait_for_mode(standard)

    def test_another_session_begins_after_the_server_was_away(self):
        page = self.begin()
        page.wait(RECORDED)
        self.server.process.kill()
        self.server.process.wait(timeout=30)
        page.wait(says("#lost", "The server does not answer"))
        self.assertEqual(text(page, "#connection"), "Disconnected")
        self.picture(page, "try-lost")
        again = start(*self.options)
        self.addCleanup(again.stop)
        page.wait(says("#connection", "Connected"), timeout=60)
        page.wait("document.querySelector('#lost').hidden")
        self.assertEqual(text(page, "#bot"), "Start the bot")
        self.assertTrue(page.evaluate(RECORDED))


class TryTokenTests(TryPageTest):
    @classmethod
    def setUpClass(cls):
        cls.issuer = Issuer()
        cls.options = cls.issuer.options
        super().setUpClass()

    def test_a_token_opens_the_page(self):
        page = self.open()
        click(page, "#start")
        page.wait("document.activeElement.id === 'token'")
        self.assertEqual(text(page, "#sign-in-problem"), "")
        page.type("nonsense")
        page.evaluate("document.querySelector('#sign-in').requestSubmit()")
        page.wait("document.querySelector('#sign-in-problem').innerText !== ''")
        # A subprotocol cannot have quotes.
        page.type('"nonsense"')
        page.evaluate("document.querySelector('#sign-in').requestSubmit()")
        page.wait(says("#sign-in-problem", "without quotes"))
        page.evaluate("sessionStorage.setItem('anechoic-token', 'a:b')")
        page.command("Page.reload")
        page.wait("!document.querySelector('#welcome').hidden && document.querySelector('#modes').children.length > 0")
        click(page, "#start")
        page.wait(says("#sign-in-problem", "without quotes"))
        page.wait("document.activeElement.id === 'token'")
        page.type("Bearer " + self.issuer.token("kiosk", "media"))
        page.evaluate("document.querySelector('#sign-in').requestSubmit()")
        page.wait(RUNS)
        # The token does not allow to learn voices.
        click(page, "#learn")
        page.wait(says("#voice-hint", "needs the scope"))
        self.assertEqual(text(page, "#learn"), "Learn my voice")


class SecureTests(unittest.TestCase):
    """The page over HTTPS, under the name of a host on the internet."""

    def test_the_microphone_is_heard_over_https(self):
        certificates = Certificates()
        key = subprocess.run(
            ["bash", "-c", "openssl x509 -in server.pem -noout -pubkey | openssl pkey -pubin -outform der"
             " | openssl dgst -sha256 -binary | base64"],
            cwd=certificates.folder, check=True, capture_output=True, text=True).stdout.strip()
        server = start(
            "--websocket", "on", "--tls-http", "--tls-certificate", certificates["server.pem"], "--tls-key",
            certificates["server.key"])
        self.addCleanup(server.stop)
        self.assertTrue(server.page.startswith("https://"))
        browser = self.enterContext(Browser(
            *ALLOWED, f"--ignore-certificate-errors-spki-list={key}", "--host-resolver-rules=MAP voice.example 127.0.0.1"))
        page = browser.open(server.page.replace("127.0.0.1", "voice.example").removesuffix("live") + "try")
        self.addCleanup(page.close)
        self.assertTrue(page.evaluate("isSecureContext && location.protocol === 'https:'"))
        click(page, "#start")
        page.wait(RUNS)
        page.wait(RECORDED)
        self.assertEqual(page.problems, [])


class SwitchTests(unittest.TestCase):
    def test_the_page_can_be_switched_off(self):
        for option, words in (("--no-try-page", b"--no-try-page"), ("--websocket=off", b"--websocket auto")):
            server = start(option)
            self.addCleanup(server.stop)
            with self.assertRaises(urllib.error.HTTPError) as refusal:
                urllib.request.urlopen(server.page.removesuffix("live") + "try")
            self.assertEqual(refusal.exception.code, 403)
            self.assertIn(words, refusal.exception.read())
            refusal.exception.close()
            self.assertNotIn("/try", server.output)


if __name__ == "__main__":
    unittest.main(verbosity=2)
