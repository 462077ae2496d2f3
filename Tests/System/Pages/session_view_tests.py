"""The view of a session and the list of sessions on the live page: what a support engineer looks for."""

import json
import re
import tempfile
import time
import unittest
from pathlib import Path

from calls import sample
from issuer import Issuer
from page_test import PHONE, PageTest, says, text

VIEW = "document.querySelector('#session').view"
NAMES = "[...document.querySelectorAll('#rows a')].map(a => a.innerText)"
FACTS = "[aria-label='Engine, formats and settings']"


def tile(name):
    """Returns a script that gives the value and the note of a tile."""
    return (f"[...document.querySelectorAll('.tile')].find(t => t.innerText.startsWith({json.dumps(name)}))"
            ".innerText")


class SessionViewTests(PageTest):
    def test_a_session_tells_of_what_it_is_made(self):
        self.call("call-1")
        page = self.open("#sessions/call-1")
        page.wait(f"!!document.querySelector({json.dumps(FACTS)})")
        facts = text(page, FACTS)
        for pattern in (r"Client's host\s+127\.0\.0\.1", r"Engine\s+anechoic 1\.", r"Pacing\s+real time",
                        r"Microphone\s+16 kHz, mono, 16-bit PCM", r"Reference\s+16 kHz, mono",
                        r"Noise suppression\s+moderate", r"Gain control\s+to −3 dBFS"):
            self.assertRegex(facts, pattern)
        self.assertRegex(text(page, "#server"), r"\d+\.\d+\.\d+ · \d+ of 1000 sessions · \d+ % used")
        page.evaluate("document.querySelector('[value=MIC_MODE_VOICE_ISOLATION]').click()")
        page.wait(f"/Noise suppression\\s+very high/.test(document.querySelector({json.dumps(FACTS)}).innerText)")
        self.assertEqual(page.problems, [])

    def test_the_reference_has_a_level_and_a_lane(self):
        call = self.call("call-2")
        page = self.open("#sessions/call-2")
        page.wait("/Reference\\s+−\\d+ dBFS/.test(document.querySelector('.meters').innerText)")
        page.wait("/the reference plays/.test(document.querySelector('canvas.lanes').ariaLabel)")
        page.wait("/reference −\\d+ dBFS/.test(document.querySelector('canvas').ariaLabel)")
        page.wait(f"/dB\\s+converged/.test({tile('Echo reduction')})", timeout=20)
        # The reduction of the echo says nothing once nothing plays.
        call.audio = call.audio[0], bytes(len(call.audio[0]))
        page.wait(f"/–\\s+nothing plays/.test({tile('Echo reduction')})")
        self.assertEqual(page.evaluate(f"{VIEW}.minute.history.points.at(-1).reduction ?? null"), None)
        self.assertRegex(page.evaluate(tile("Noise floor")), r"−\d+ dBFS")
        self.assertFalse(page.evaluate("document.querySelector('.meters .floor').hidden"))

    def test_a_session_without_a_reference_says_so(self):
        self.call("call-3", silent=True)
        page = self.open("#sessions/call-3")
        page.wait(says(".tiles", "–"))
        self.assertEqual(page.evaluate(f"{VIEW}.minute.voices.lanes.map(l => l.short)"), ["near", "mute"])

    def test_an_outage_is_no_measurement(self):
        call = self.call("call-4")
        page = self.open("#sessions/call-4")
        page.wait(says(".level", "dBFS"))
        call.is_paused = True
        page.wait(says(".level", "no audio"))
        page.wait(f"/^Echo delay\\s+–$/.test({tile('Echo delay')}.trim())")
        self.assertEqual(page.evaluate(
            f"Object.keys({VIEW}.minute.history.points.at(-1))"), ["time"])
        call.is_paused = False
        page.wait(says(".level", "dBFS"))
        # The line has two parts, with nothing between them.
        runs = page.evaluate(
            "import('/live/graphs.js').then(({ runsOf }) => "
            f"runsOf({VIEW}.minute.history.points, (point) => point.microphone !== undefined).length)")
        self.assertGreaterEqual(runs, 2)

    def test_an_ended_session_is_grey(self):
        call = self.call("call-5")
        page = self.open("#sessions/call-5")
        page.wait(says(".level", "dBFS"))
        call.end()
        page.wait(says(".head", "The session has ended."))
        self.assertEqual(text(page, ".level b"), "ended")
        filters = page.evaluate("getComputedStyle(document.querySelector('.live')).filter")
        self.assertIn("grayscale", filters)

    def test_events_are_found_and_exported(self):
        self.call("call-6")
        page = self.open("#sessions/call-6")
        page.wait("document.querySelector('.mute').ariaPressed === 'false'")
        page.wait(says(".events", "echo found"))
        page.evaluate("document.querySelector('.mute').click()")
        page.wait(says(".events", "muted by live page"))
        page.evaluate("document.querySelector('#important').click()")
        page.wait("!document.querySelector('.events').innerText.includes('echo found')")
        page.evaluate("document.querySelector('#important').click()")
        page.wait(says(".events", "echo found"))
        page.evaluate("document.querySelector('details [type=search]').focus()")
        page.type("muted by")
        page.wait("document.querySelectorAll('.events li').length === 1")
        self.assertRegex(text(page, ".count-of-events"), r"^1 of \d+ events$")
        with tempfile.TemporaryDirectory() as folder:
            self.browser.command(
                "Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            page.evaluate(
                "[...document.querySelectorAll('button')].find(b => b.innerText === 'Export').click()")
            path, end = Path(folder) / "call-6-events.jsonl", time.monotonic() + 10
            while not path.exists() and time.monotonic() < end:
                time.sleep(0.05)
            lines = path.read_text().splitlines()
        self.assertEqual(len(lines), 1)
        self.assertEqual(json.loads(lines[0])["muteChanged"]["state"]["actor"], "live page")
        self.assertEqual(page.problems, [])

    def test_the_device_that_plays_is_known_as_it_comes_and_goes(self):
        page = self.open()
        shown = page.evaluate("""import("/live/events.js").then(({ apply }) => {
            const session = {};
            return [{ joined: true, client: "television" }, { client: "television" }].map((playbackClientChanged) => {
                apply(session, { playbackClientChanged }, "");
                return session.playbackClient;
            });
        })""")
        self.assertEqual(shown, ["television", ""])

    def test_an_event_is_shown_once_if_the_list_is_drawn_before_the_next_frame(self):
        page = self.open()
        shown = page.evaluate("""import("/live/event-list.js").then(async ({ EventList }) => {
            const events = new EventList("sessions/call-8");
            const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
            const muted = { muteChanged: { state: { muted: true } } };
            events.add({ eventId: "1", ...muted });
            events.draw();
            events.add({ eventId: "2", ...muted });
            await frame();
            await frame();
            return events.list.children.length;
        })""")
        self.assertEqual(shown, 2)

    def test_a_phone_shows_a_session_on_a_short_page(self):
        self.call("call-7")
        page = self.open("#sessions/call-7", **PHONE)
        page.wait(says(".level", "dBFS"))
        self.assertLess(page.evaluate("document.documentElement.scrollHeight"), 1000)
        self.assertFalse(page.evaluate("document.querySelector('#accepts').checkVisibility()"))
        page.evaluate("document.querySelector('summary').focus()")
        page.key("Enter")
        page.wait("document.querySelector('#accepts').checkVisibility()")
        for summary in range(5):
            page.evaluate(f"document.querySelectorAll('details')[{summary}].open = true")
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 360)


class SessionListTests(PageTest):
    def test_the_list_is_sorted_as_people_count(self):
        for name, owner in (("desk-10", "ann"), ("desk-3", "bob"), ("desk-2", "zoe")):
            self.call(name, client=owner, silent=True)
        page = self.open()
        page.wait(f"{NAMES}.join() === 'desk-2,desk-3,desk-10'")
        self.assertEqual(page.evaluate("document.querySelector('th[aria-sort]').ariaSort"), "ascending")
        page.evaluate("document.querySelector('[data-column=owner]').focus()")
        page.key("Enter")
        page.wait(f"{NAMES}.join() === 'desk-10,desk-3,desk-2'")
        page.key("Enter")
        page.wait(f"{NAMES}.join() === 'desk-2,desk-3,desk-10'")
        self.assertEqual(page.evaluate("document.querySelector('th[aria-sort]').ariaSort"), "descending")
        self.assertEqual(page.problems, [])

    def test_the_list_shows_trouble(self):
        self.call("hall-1")
        broken = self.call("hall-2")
        broken.audio = bytes(len(broken.audio[0])), broken.audio[1]
        page = self.open()
        row = "[...document.querySelectorAll('#rows tr')].find(r => r.innerText.startsWith('hall-2'))"
        page.wait(f"({row})?.querySelector('.trouble').innerText.includes('no signal')", timeout=20)
        page.evaluate("document.querySelector('[data-column=trouble]').click()")
        page.wait(f"{NAMES}[0] === 'hall-2'")
        page.evaluate("location.hash = 'sessions/hall-2'")
        page.wait(says(".head .trouble", "no signal"))
        # The warning ends with the first sound.
        broken.audio = sample("microphone"), sample("reference")
        page.wait("document.querySelector('.head .trouble').innerText === ''", timeout=20)

    def test_what_is_reduced_or_has_not_converged_is_trouble(self):
        page = self.open()
        found = page.evaluate("""import("/live/trouble.js").then(({ troublesOf }) => [
            {}, { reduced: true }, { echoConverged: false }, { echoConverged: true },
            { reduced: true, problems: ["PROBLEM_LATE", "PROBLEM_CLIPPING"] },
        ].map((session) => troublesOf(session).join(", ")))""")
        self.assertEqual(found, ["", "reduced", "not converged", "", "reduced, late, clipping"])


    def test_statistics_tell_what_no_event_tells(self):
        page = self.open()
        found = page.evaluate("""import("/live/trouble.js").then(({ healthOf, troublesOf }) => {
            const config = { voiceProcessing: { echoCancellation: { enabled: true } } };
            const bypassed = { voiceProcessing: { ...config.voiceProcessing, bypassed: true } };
            const measured = { heardReductionDb: 3 };
            return [
                [{}, {}], [{ reduced: true }, {}], [{ echo: {} }, { config }],
                [{ echo: measured }, { config }], [{ echo: { ...measured, converged: true } }, { config }],
                [{ echo: measured }, { config: bypassed }], [{ echo: measured }, {}],
            ].map(([stats, session]) => troublesOf(healthOf(stats, session)).join(", "));
        })""")
        self.assertEqual(found, ["", "reduced", "", "not converged", "", "", ""])
        self.call("hall-3")
        page = self.open("#sessions/hall-3")
        page.wait(says(".level", "dBFS"))
        # The next measurement of the server takes the trouble back.
        trouble = page.evaluate(
            f"(() => {{ delete {VIEW}.shown; {VIEW}.measure({{ reduced: true }});"
            " return document.querySelector('.head .trouble').textContent; })()")
        self.assertIn("reduced", trouble)
        page.wait("!document.querySelector('.head .trouble').textContent.includes('reduced')")


class HostTests(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.issuer = Issuer()
        cls.options = cls.issuer.options
        super().setUpClass()

    def facts(self, scope):
        page = self.open("#sessions/call-1")
        page.wait("!document.querySelector('#sign-in').hidden")
        page.evaluate("document.querySelector('#token').focus()")
        page.type(self.issuer.token("kiosk", scope))
        page.evaluate("document.querySelector('#sign-in').requestSubmit()")
        page.wait(f"!!document.querySelector({json.dumps(FACTS)})")
        return text(page, FACTS)

    def test_only_an_administrator_sees_where_a_client_is(self):
        self.call("call-1", token=self.issuer.token("kiosk", "media"))
        facts = self.facts("read")
        self.assertIn("anechoic 1.", facts)
        self.assertIsNone(re.search(r"host|127\.0\.0\.1", facts))
        self.assertIn("127.0.0.1", self.facts("read admin"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
