"""The live page in a headless Chromium, against a real server with real sessions."""

import json
import re
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from calls import unary
from issuer import Issuer
from page_test import PHONE, SERVER, PageTest, evil_site, lasting_port, says, start, text
from service import events_pb2, sessions_pb2

EVIL = "<img src=x onerror=alert(1)>"


def rows(page):
    return page.evaluate("[...document.querySelectorAll('#rows tr')].map(r => r.innerText)")


class LivePageTests(PageTest):
    def test_a_session_is_listed_watched_and_ends(self):
        call = self.call("call-1", room="lobby")
        page = self.open()
        page.wait(says("#rows", "call-1"))
        self.assertEqual(text(page, "#connection"), "Connected")
        self.assertRegex(rows(page)[0], r"call-1\s+room: lobby\s+kiosk")
        page.evaluate("document.querySelector('#rows a').click()")
        page.wait(says(".level", "dBFS"))
        page.wait(says(".tiles", "dB"))
        page.wait("document.querySelectorAll('.events li').length > 0")
        page.wait("/Now: processed voice .*, microphone −?\\d+/.test(document.querySelector('canvas').ariaLabel)")
        page.wait(says("[aria-label=Latency]", "ms"))
        self.assertIn("owner kiosk", text(page, ".facts"))
        call.end()
        page.wait(says(".head", "The session has ended."))
        self.assertTrue(page.evaluate("document.querySelector('.mute').disabled"))
        page.wait("!document.getElementById('empty').hidden")
        self.assertEqual(page.problems, [])

    def test_every_event_of_the_protocol_has_words(self):
        kinds = [
            field.json_name for field in events_pb2.SessionEvent.DESCRIPTOR.oneofs_by_name["event"].fields]
        self.assertGreaterEqual(len(kinds), 23)
        page = self.open()
        found = page.evaluate(
            "import('/live/events.js').then(({ describe }) => "
            f"{json.dumps(kinds)}.map((kind) => describe({{ [kind]: {{}} }})))")
        self.assertEqual([each["kind"] for each in found], kinds)
        for each in found:
            self.assertNotIn("undefined", each["text"])
            self.assertGreater(len(each["text"]), 3, each)
        self.assertEqual(page.problems, [])

    def test_words_follow_the_values(self):
        page = self.open()
        for event, words in {
            '{ mutedSpeechActivity: { activity: "SPEECH_ACTIVITY_STARTED" } }': "talks while muted",
            '{ muteChanged: { state: { muted: true, actor: "olga" } } }': "muted by olga",
            '{ micModeChanged: { active: "MIC_MODE_STANDARD", reason: "UNSUPPORTED_FORMAT" } }':
                "mic mode standard (unsupported format)",
            "{ duckingChanged: { gainDb: -30 } }": "other audio at −30 dB",
            '{ routeChanged: { current: { input: { displayName: "Ear" }, output: { portId: "b" } } } }':
                "route: Ear → b",
            '{ captureWarning: { problem: "PROBLEM_NO_SIGNAL", active: true } }': "warning: no signal",
            '{ draining: { endsIn: "30s" } }': "the server stops in 30 s",
            "{ tomorrow: {} }": "an event of a newer version",
        }.items():
            self.assertEqual(
                page.evaluate(f"import('/live/events.js').then((page) => page.describe({event}).text)"), words)

    def test_names_of_clients_are_only_text(self):
        self.call("evil-1", client=EVIL, silent=True, **{"room": EVIL})
        page = self.open()
        page.evaluate("window.alert = () => { window.isAttacked = true }")
        page.wait(says("#rows", EVIL))
        page.evaluate("location.hash = 'sessions/evil-1'")
        page.wait(says(".facts", EVIL))
        asked = unary(
            self.server.address, "RequestInjectionPermission",
            sessions_pb2.RequestInjectionPermissionRequest(
                name="sessions/evil-1", usage_description=EVIL), client=EVIL)
        page.wait(says(".question blockquote", EVIL))
        page.wait(says(".events", EVIL))
        self.assertEqual(page.evaluate("document.querySelectorAll('main img').length"), 0)
        self.assertFalse(page.evaluate("window.isAttacked === true"))
        asked.cancel()
        self.assertEqual(page.problems, [])

    def test_controls_act_on_the_session(self):
        self.call("call-2")
        page = self.open("#sessions/call-2")
        page.wait(says(".badge", ""))
        page.wait("document.querySelector('.mute').ariaPressed === 'false'")
        page.evaluate("document.querySelector('.mute').click()")
        page.wait(says(".badge", "mute"))
        page.wait(says(".mute", "Unmute"))
        page.wait(says(".events", "muted by live page"))
        page.evaluate("document.querySelector('[value=MIC_MODE_VOICE_ISOLATION]').click()")
        page.wait(says(".events", "mic mode voice isolation"))
        page.evaluate("document.querySelector('#level').value = 'LEVEL_MAX';"
                      "document.querySelector('#level').dispatchEvent(new Event('change'))")
        page.wait("document.querySelector('#level').value === 'LEVEL_MAX'")
        page.evaluate("document.querySelector('#accepts').click()")
        page.wait(says(".events", "speech can not be injected"))
        self.assertEqual(text(page, ".head .problem"), "")
        actions = re.findall(r"control .*action=(\w+).*", self.server.output)
        self.assertGreaterEqual(actions.count("UpdateSession"), 3)
        self.assertIn("SetMute", actions)
        self.assertIn("live page", self.server.output)

    def test_speech_is_heard_after_the_media_client_has_permitted_it(self):
        call = self.call("call-3")
        page = self.open("#sessions/call-3")
        page.wait(says(".level", "dBFS"))
        page.evaluate("document.querySelector('#speech').focus()")
        page.type("The door is open.")
        page.evaluate("document.querySelector('.speech').requestSubmit()")
        page.wait(says(".question", "Only the media client, kiosk, can answer"))
        self.assertIn("This page asks to speak", text(page, ".question"))
        call.permit("live page")
        page.wait("!document.querySelector('.question')")
        page.wait(says(".speech", "s were heard"))
        self.assertIn("injection by live page: granted", text(page, ".events"))
        self.assertEqual(page.problems, [])

    def test_a_question_closes_the_session_to_injected_speech(self):
        self.call("call-4")
        page = self.open("#sessions/call-4")
        page.wait(says(".level", "dBFS"))
        asked = unary(
            self.server.address, "RequestInjectionPermission",
            sessions_pb2.RequestInjectionPermissionRequest(
                name="sessions/call-4", usage_description="Announces visitors"))
        self.addCleanup(asked.cancel)
        page.wait(says(".question", "doorbell asks to speak into this session"))
        self.picture(page, "live-question")
        self.assertEqual(page.evaluate("document.querySelector('.question').role"), "alert")
        page.evaluate("document.querySelector('.question button').click()")
        page.wait("!document.querySelector('#accepts').checked")
        page.evaluate("document.querySelector('.question .quiet').click()")
        page.wait("!document.querySelector('.question')")

    def press(self, session, gesture):
        """Presses a mute button. The media client of the session decides."""
        pressed = unary(
            self.server.address, "ReportMuteGesture",
            sessions_pb2.ReportMuteGestureRequest(name=f"sessions/{session}", gesture_id=gesture),
            client="headset")
        self.addCleanup(pressed.cancel)
        return pressed

    def test_a_mute_gesture_pops_up_until_it_is_rejected_or_accepted(self):
        call = self.call("call-7", asks=True)
        page = self.open("#sessions/call-7")
        page.wait(says(".level", "dBFS"))
        self.press("call-7", "first")
        page.wait(says(".question", "A button asks to mute this session."))
        self.assertIn("The media client, kiosk, decides.", text(page, ".question"))
        self.picture(page, "live-gesture")
        call.decide("first", accept=False)
        page.wait("!document.querySelector('.question')")
        page.wait(says(".events", "the press of the button was rejected"))
        self.assertEqual(page.evaluate("document.querySelector('.mute').ariaPressed"), "false")
        self.press("call-7", "second")
        page.wait(says(".question", "A button asks to mute this session."))
        call.decide("second", accept=True)
        page.wait("!document.querySelector('.question')")
        page.wait("document.querySelector('.mute').ariaPressed === 'true'")
        self.press("call-7", "third")
        page.wait(says(".question", "A button asks to unmute this session."))
        # A person at the page does not need to wait for the media client.
        page.evaluate("document.querySelector('.question button').click()")
        page.wait("document.querySelector('.mute').ariaPressed === 'false'")
        self.assertEqual(page.problems, [])

    def test_a_list_that_waits_for_a_connection_is_no_lost_server(self):
        # With six windows, a browser has no connection left for the list.
        self.call("call-many")
        page = self.open("#sessions/call-many")
        page.wait(says(".level", "dBFS"))
        page.evaluate(
            "(() => { const ask = window.fetch; window.lists = 0; window.fetch = (url, options) => {"
            "if (!url.includes('ListSessions')) return ask(url, options); window.lists += 1;"
            "return Promise.reject(new DOMException('late', 'TimeoutError')) } })()")
        page.wait("window.lists > 2")
        self.assertEqual(text(page, "#connection"), "Connected")
        self.assertTrue(page.evaluate("document.querySelector('#lost').hidden"))

    def test_an_address_that_is_nonsense_shows_the_list(self):
        self.call("call-9")
        page = self.open("#sessions/%E0%A4%A")
        page.wait(says("#rows", "call-9"))
        self.assertEqual(text(page, "#connection"), "Connected")
        self.assertTrue(page.evaluate("document.querySelector('#lost').hidden"))
        self.assertEqual(page.problems, [])

    def test_the_keyboard_reaches_everything(self):
        self.call("call-5")
        page = self.open()
        page.wait(says("#rows", "call-5"))
        page.evaluate("document.body.focus()")
        stops = self.tab_stops(page, 9)
        self.assertEqual(stops[:3], ["Skip to the sessions", "filter", "Session"])
        self.assertIn("call-5", stops)
        page.evaluate("document.querySelector('#rows a').focus()")
        page.key("Enter")
        page.wait("document.activeElement.id === 'session-title'")
        page.wait(says(".level", "dBFS"))
        stops = self.tab_stops(page, 9)
        for name in ("Mute", "level", "advanced", "accepts", "speech", "usage", "Speak"):
            self.assertIn(name, stops)
        unnamed = page.evaluate(
            "[...document.querySelectorAll('input, select, textarea, button')]"
            ".filter(e => !e.innerText && !e.labels?.length).length")
        self.assertEqual(unnamed, 0)

    def tab_stops(self, page, count):
        stops = []
        for _ in range(count):
            page.key("Tab")
            stops.append(page.evaluate(
                "document.activeElement.id || document.activeElement.innerText"))
        return stops

    def test_a_phone_shows_everything_without_scrolling_sideways(self):
        self.call("call-6", room="a room with a rather long name", client="k" * 100)
        page = self.open(**PHONE)
        page.wait(says("#rows", "call-6"))
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        self.picture(page, "live-phone-list")
        page.evaluate("document.querySelector('#rows a').click()")
        page.wait(says(".level", "dBFS"))
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)
        self.assertFalse(page.evaluate(
            "document.querySelector('#sessions').checkVisibility()"))
        page.evaluate("document.querySelector('.back').click()")
        page.wait("document.querySelector('#sessions').checkVisibility()")
        self.assertEqual(page.evaluate("document.activeElement.innerText"), "call-6")

    def test_the_scheme_of_colours_follows_the_system(self):
        page = self.open()
        colour = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(colour)
        page.emulate(dark=True)
        self.assertNotEqual(page.evaluate(colour), light)

    def test_the_time_that_a_server_names_is_waited(self):
        page = self.open()
        pauses = page.evaluate("""import("/live/service.js").then(({ Retries, ServiceError }) => {
            const retries = new Retries();
            const refused = (retryDelay) => new ServiceError({ code: "RESOURCE_EXHAUSTED", retryDelay });
            const forGood = new ServiceError({ code: "UNIMPLEMENTED" });
            const errors = [
                undefined, refused("1.5s"), refused("600s"), refused("0.1s"), new TypeError("lost"), forGood];
            const pauses = errors.map((error) => Math.round(retries.next(error, 0, 0.5)));
            // A server that has answered for less than a second is no success.
            for (const [answered, lost] of [[1000, 1900], [2000, 3000]]) {
                retries.succeeded(answered);
                pauses.push(Math.round(retries.next(undefined, lost, 0.5)));
            }
            return pauses;
        })""")
        self.assertEqual(pauses, [100, 1725, 69000, 500, 500, 5000, 500, 100])

    def test_nothing_is_asked_of_other_hosts(self):
        page = self.open()
        page.wait(says("#connection", "Connected"))
        host = self.server.page.removesuffix("live")
        self.assertTrue(all(address.startswith(host) for address in page.requests), page.requests)

    def test_a_page_of_another_site_gets_nothing(self):
        url = self.server.page.removesuffix("live") + "anechoic.v1.SessionService/ListSessions"
        with evil_site() as evil:
            page = self.browser.open(evil)
            for kind in ("application/json", "text/plain"):
                outcome = page.evaluate(
                    f"fetch({json.dumps(url)}, {{method: 'POST', body: '{{}}', headers: "
                    f"{{'content-type': '{kind}'}}}}).then(() => 'read', () => 'refused')")
                self.assertEqual(outcome, "refused")
            # The browser sends this call, and the server refuses it.
            before = self.refusals()
            page.evaluate(f"fetch({json.dumps(url)}, {{method: 'POST', body: '{{}}', mode: 'no-cors'}})")
            self.assertEqual(self.refusals(), before + 1)
            page.evaluate(
                "new Promise(done => { const frame = document.createElement('iframe');"
                f"frame.src = {json.dumps(self.server.page)}; frame.onload = done;"
                "document.body.append(frame) })")
            self.assertIn(self.server.page, page.requests)
            self.assertFalse(any("main.js" in address for address in page.requests), page.requests)
            page.close()

    def refusals(self):
        metrics = urllib.request.urlopen(self.server.page.removesuffix("live") + "metrics").read()
        found = re.search(rb'anechoic_http_requests_total{code="403"} (\d+)', metrics)
        return int(found[1]) if found else 0


def refused_attempts(port, seconds):
    """Resets each connection to a port for some seconds, and returns the times."""
    times, end = [], time.monotonic() + seconds
    with socket.create_server(("127.0.0.1", port)) as listener:
        while (left := end - time.monotonic()) > 0:
            listener.settimeout(left)
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                break
            times.append(time.monotonic())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
    return times


class LostServerTests(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.port = lasting_port()
        cls.options = ("--http-listen", f"127.0.0.1:{cls.port}")
        super().setUpClass()

    def test_a_lost_server_is_told_and_found_again(self):
        self.call("call-1")
        page = self.open("#sessions/call-1")
        page.wait(says(".level", "dBFS"))
        self.server.process.send_signal(signal.SIGSTOP)
        page.wait(says("#lost", "The server has not answered since"), timeout=60)
        self.assertEqual(text(page, "#connection"), "Disconnected")
        self.assertEqual(page.evaluate("document.querySelector('#lost').role"), "alert")
        self.picture(page, "live-lost")
        self.server.process.send_signal(signal.SIGCONT)
        page.wait("document.querySelector('#lost').hidden", timeout=60)
        self.server.process.kill()
        # Its listener closes when it has ended, which a busy machine delays.
        self.server.process.wait(timeout=30)
        page.wait("!document.querySelector('#lost').hidden", timeout=60)
        attempts = refused_attempts(self.port, seconds=4)
        # The pauses double from 100 to 500 ms and vary by 30 %.
        self.assertGreaterEqual(len(attempts), 5, attempts)
        self.assertLessEqual(len(attempts), 4 + 4 / 0.35, attempts)
        again = start(*self.options)
        self.addCleanup(again.stop)
        page.wait("document.querySelector('#lost').hidden", timeout=60)
        page.wait(says("#connection", "Connected"))
        page.wait(says(".badge", "ended"), timeout=60)


class TokenTests(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.issuer = Issuer()
        cls.options = cls.issuer.options
        super().setUpClass()

    def sign_in(self, page, scope, name="kiosk"):
        page.wait("!document.querySelector('#sign-in').hidden")
        page.evaluate("document.querySelector('#token').focus()")
        page.type(self.issuer.token(name, scope))
        page.evaluate("document.querySelector('#sign-in').requestSubmit()")

    def test_a_token_opens_what_its_scopes_allow(self):
        self.call("call-1", token=self.issuer.token("kiosk", "media"))
        page = self.open()
        page.wait("document.activeElement.id === 'token'")
        self.assertEqual(rows(page), [])
        self.assertEqual(text(page, "#sign-in-problem"), "")
        self.picture(page, "live-sign-in")
        page.type("nonsense")
        page.evaluate("document.querySelector('#sign-in').requestSubmit()")
        page.wait("document.querySelector('#sign-in-problem').innerText !== ''")
        # A header cannot have typographic quotes.
        page.type("“nonsense”")
        page.evaluate("document.querySelector('#sign-in').requestSubmit()")
        page.wait(says("#sign-in-problem", "without quotes"))
        self.sign_in(page, "control")
        page.wait(says("#sign-in-problem", 'ListSessions needs the scope "read"'))
        self.sign_in(page, "read")
        page.wait(says("#rows", "call-1"))
        self.assertIn("kiosk · read", text(page, "#identity"))
        page.evaluate("document.querySelector('#rows a').click()")
        page.wait(says(".level", "dBFS"))
        page.evaluate("document.querySelector('.mute').click()")
        page.wait(says(".head", 'SetMute needs the scope "control"'))
        self.assertEqual(page.evaluate("Object.keys(localStorage).length"), 0)
        page.command("Page.reload")
        page.wait(says("#rows", "call-1"))
        page.evaluate("document.querySelector('#sign-out').click()")
        page.wait("!document.querySelector('#sign-in').hidden")
        self.assertEqual(page.evaluate("Object.keys(sessionStorage).length"), 0)

    def test_the_sessions_of_others_stay_hidden(self):
        self.call("call-2", token=self.issuer.token("kiosk", "media"))
        page = self.open("#sessions/call-2")
        self.sign_in(page, "read control", name="eve")
        page.wait(says(".head", "This session is not running."))
        self.assertEqual(rows(page), [])


class ClosedPageTests(unittest.TestCase):
    def test_a_page_that_would_open_a_closed_server_is_off(self):
        with tempfile.TemporaryDirectory() as folder:
            server = subprocess.Popen(
                [SERVER, "--listen", f"unix:{folder}/socket", "--http-listen", "127.0.0.1:0",
                 "--admin-listen", "off"], stderr=subprocess.PIPE, text=True)
            self.addCleanup(server.stderr.close)
            self.addCleanup(server.wait)
            self.addCleanup(server.terminate)
            lines = []
            while not (found := re.search(r"metrics on (\S+)/metrics", "".join(lines))):
                lines.append(server.stderr.readline())
                self.assertTrue(lines[-1], lines)
            with self.assertRaises(urllib.error.HTTPError) as refusal:
                urllib.request.urlopen(f"{found[1]}/live")
            self.assertEqual(refusal.exception.code, 403)
            self.assertIn(b"use --authentication jwt", refusal.exception.read())
            refusal.exception.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
