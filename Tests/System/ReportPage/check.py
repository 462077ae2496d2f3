#!/usr/bin/python3
"""Checks the page of a report in a Chromium that has no network.

usage: check.py PAGE.html TITLE PLAYERS [SCREENSHOTS]

TITLE is the name of the recording, and PLAYERS the number of players. Screenshots of the wide, the
dark and the narrow page go to the folder SCREENSHOTS.
"""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Browser"))
from browser import Browser  # noqa: E402

PHONE = 360

# The number of colours in each spectrogram.
COLORS = """
Promise.all([...document.querySelectorAll('.image image')].map(async element => {
  const picture = new Image();
  picture.src = element.getAttribute('href');
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = picture.naturalWidth;
  canvas.height = picture.naturalHeight;
  const context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0);
  const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
  const colors = new Set();
  for (let place = 0; place < data.length; place += 4) {
    colors.add(data[place] << 16 | data[place + 1] << 8 | data[place + 2]);
  }
  return colors.size;
}))
"""


def near(left, right, by):
    return abs(left - right) <= by


def check_contents(page, title, players):
    assert page.evaluate("document.title") == title, page.evaluate("document.title")
    assert page.evaluate("document.querySelector('h1').textContent") == title
    assert page.evaluate("document.querySelectorAll('img, iframe, object').length") == 0
    assert page.evaluate("document.querySelectorAll('audio').length") == players
    colors = page.evaluate(COLORS)
    assert colors and all(count > 20 for count in colors), colors
    curves = page.evaluate("[...document.querySelectorAll('.curve')].map(c => c.getTotalLength())")
    assert curves and any(length > 500 for length in curves), curves
    assert page.evaluate("document.querySelectorAll('.facts tr').length") > 5


def check_players(page):
    """Plays each sound, and checks that the position follows."""
    duration = float(page.evaluate("document.body.dataset.duration"))
    count = page.evaluate("document.querySelectorAll('audio').length")
    for index in range(count):
        player = f"document.querySelectorAll('audio')[{index}]"
        page.wait(f"{player}.readyState >= 1")
        length = page.evaluate(f"{player}.duration")
        assert near(length, duration, 0.1), (index, length, duration)
        page.evaluate(f"{player}.currentTime = 0")
        page.evaluate(f"{player}.play()")
        page.wait(f"{player}.currentTime > 0.05")
        others = f"[...document.querySelectorAll('audio')].filter(p => p !== {player})"
        page.wait(f"{others}.every(p => p.paused)")
        page.wait("document.querySelector('.head').getAttribute('x1') !== '0%'")
        page.evaluate(f"{player}.pause()")


def check_position(page):
    """Clicks a plot, an event and keys, and checks where the players are."""
    duration = float(page.evaluate("document.body.dataset.duration"))
    box = page.evaluate("(() => { const cell = document.querySelector('.cell');"
                        " cell.scrollIntoView({block: 'center'});"
                        " const b = cell.getBoundingClientRect();"
                        " return [b.left, b.top, b.width, b.height]; })()")
    x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
    for kind in ("mousePressed", "mouseReleased"):
        page.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def at(seconds):
        expected = f"Math.abs(p.currentTime - {seconds}) < 0.05"
        page.wait(f"[...document.querySelectorAll('audio')].every(p => {expected})")
        place = float(page.evaluate("document.querySelector('.head').getAttribute('x1')")[:-1])
        assert near(place, 100 * seconds / duration, 0.5), (place, seconds, duration)

    at(duration / 2)
    page.key("ArrowLeft", modifiers=8)
    at(max(0, duration / 2 - 10))
    page.key("ArrowRight")
    at(min(duration, max(0, duration / 2 - 10) + 1))
    if page.evaluate("document.querySelectorAll('button[data-time]').length"):
        time = float(page.evaluate("document.querySelector('button[data-time]').dataset.time"))
        page.evaluate("document.querySelector('button[data-time]').click()")
        at(time)


def check_zoom(page):
    """Zooms in by a key and out by a button, and checks which part of the time is shown."""
    duration = float(page.evaluate("document.body.dataset.duration"))
    width = "document.querySelector('.cell').getBoundingClientRect().width"
    whole = page.evaluate(width)
    page.key("Home")
    page.key("+")
    zoom = min(2, max(1, duration / 0.5))
    assert near(page.evaluate(width), zoom * whole, 1), (page.evaluate(width), whole)
    if zoom > 1:
        shown = page.evaluate("document.getElementById('range').textContent")
        assert shown.startswith("0:00.00 to "), shown
        # A place outside the part that is shown moves the part.
        for _ in range(int(duration)):
            page.key("ArrowRight")
        page.wait(f"document.getElementById('range').textContent !== {shown!r}")
    page.evaluate("document.querySelectorAll('#zoom button')[1].click()")
    assert near(page.evaluate(width), whole, 1), page.evaluate(width)
    assert page.evaluate("document.getElementById('range').textContent") == ""


def check_widths(page, folder):
    for name, shape in {
        "wide": {"width": 1280, "height": 900},
        "dark": {"width": 1280, "height": 900, "dark": True},
        "narrow": {"width": PHONE, "height": 780, "scale": 2, "phone": True},
        "narrow-dark": {"width": PHONE, "height": 780, "scale": 2, "phone": True, "dark": True},
    }.items():
        page.emulate(**shape)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= shape["width"], (name, width)
        color = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (color == "rgb(255, 255, 255)") != shape.get("dark", False), (name, color)
        if folder:
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(folder / f"{name}.png", whole=True)


def main():
    path, title, players, *folder = sys.argv[1:]
    address = pathlib.Path(path).resolve().as_uri()
    with Browser("--host-resolver-rules=MAP * ~NOTFOUND") as browser:
        page = browser.open(address)
        check_contents(page, title, int(players))
        if int(players):
            check_players(page)
            check_position(page)
            check_zoom(page)
        check_widths(page, pathlib.Path(folder[0]) if folder else None)
        assert not page.problems, page.problems
        foreign = [url for url in page.requests if url != address and not url.startswith("data:")]
        assert not foreign, foreign


if __name__ == "__main__":
    main()
