"""The live page in a headless Chromium. It plays nothing: the judge hears from it what its reader sees."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from common import arguments, log, tell

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Browser"))

from browser import Browser, Page  # noqa: E402

LOOK = 0.03
"""The seconds between two looks at the page."""
SEEN = """(() => {
  const find = (selector) => document.querySelector(selector);
  const text = (selector) => find(selector)?.checkVisibility() ? find(selector).innerText : "";
  return {
    connection: text("#connection"), lost: text("#lost"), state: text(".badge"), facts: text(".facts"),
    problem: text(".head > .problem"), asksToSignIn: find("#sign-in").checkVisibility(),
    isMuted: find(".mute")?.ariaPressed === "true",
    listed: [...document.querySelectorAll("#rows a")].map((link) => link.innerText),
  };
})()"""
CONNECTED, ENDED = "Connected", "ended"


def tell_changes(before: dict, now: dict) -> None:
    """Tells what a reader of the page has learned between two looks."""
    was, is_ = before["connection"], now["connection"]
    if was != is_:
        if is_ == "Disconnected":
            tell("reconnecting", message=now["lost"])
        elif is_ == "Refused":
            tell("lost", message=now["lost"])
        elif is_ == CONNECTED and was in ("Disconnected", "Refused"):
            tell("resumed")
    if now["state"] != before["state"]:
        if now["state"] == ENDED:
            tell("ended", message=now["facts"])
        elif before["state"] == ENDED:
            tell("restarted")
    for name, event in (("problem", "refused"), ("facts", "lost")):
        is_new = now[name] and now[name] != before[name]
        if is_new and (name == "problem" or not now[name].startswith("owner ") and now["state"] != ENDED):
            tell(event, message=now[name])
    for name, event in (("asksToSignIn", "failed"), ("isMuted", "muted")):
        if now[name] and not before[name]:
            tell(event)
    for session in set(now["listed"]) - set(before["listed"]):
        tell("listed", session=session)


def press_mute(page: Page) -> None:
    page.evaluate("document.querySelector('.mute').click()")


def main() -> None:
    options = arguments()
    with Browser() as browser:
        page = browser.open(f"http://{options.server}/live#sessions/{options.session}", width=1360, height=900)
        page.wait("document.querySelector('#rows a')")
        began = time.monotonic()
        tell("began")
        presses = sorted(at / 1000 for at in (options.mute_at, options.unmute_at) if at is not None)
        # The page may tell of the session before the first look: that is news as well.
        seen = {**page.evaluate(SEEN), "facts": "", "problem": ""}
        while (now := time.monotonic() - began) < options.seconds:
            if presses and presses[0] <= now:
                presses.pop(0)
                press_mute(page)
            before, seen = seen, page.evaluate(SEEN)
            tell_changes(before, seen)
            time.sleep(LOOK)
        for problem in page.problems:
            log(problem)


main()
