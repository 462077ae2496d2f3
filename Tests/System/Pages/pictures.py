"""Takes the pictures of the live page for docs/images, of a real server whose sessions send the sample."""

import argparse
import time

from browser import Browser
from calls import Call, page_of, unary
from service import Server, sessions_pb2

CALLS = [
    ("lobby-kiosk", "kiosk", {"room": "lobby"}), ("call-7f31", "call-server", {}),
    ("robot-arm-2", "robot", {"hall": "3"}), ("door-north", "intercom", {"floor": "0"}),
    ("assistant-12", "assistant", {}), ("meeting-room-4", "kiosk", {"room": "2.14"}),
]
TALKING = 2


def mute(server, session):
    unary(server.address, "SetMute", sessions_pb2.SetMuteRequest(
        name=f"sessions/{session}", muted=True), client="reception").result()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--folder", required=True)
    options = parser.parse_args()
    server = Server(options.server, "--http-listen", "127.0.0.1:0", "--frame-budget", "0")
    calls = [
        Call(server.address, name, client=client, silent=index >= TALKING, **labels)
        for index, (name, client, labels) in enumerate(CALLS)]
    mute(server, "door-north")
    # The microphone of this call is unplugged.
    calls[1].audio = bytes(len(calls[1].audio[0])), calls[1].audio[1]
    with Browser() as browser:
        # A page that is not in front stops, so that one page takes all pictures.
        page = browser.open(f"{page_of(server)}#sessions/lobby-kiosk", width=1280, height=820)
        end = time.monotonic() + 62
        while time.monotonic() < end:
            browser.receive(1)
        page.screenshot(f"{options.folder}/live.png")
        asked = unary(
            server.address, "RequestInjectionPermission",
            sessions_pb2.RequestInjectionPermissionRequest(
                name="sessions/lobby-kiosk", usage_description="Announces visitors at the door"),
            timeout=120)
        page.wait("document.querySelector('.question')")
        page.emulate(width=1280, height=820, dark=True)
        page.evaluate("new Promise(done => setTimeout(done, 1500))")
        page.screenshot(f"{options.folder}/live-dark.png")
        calls[0].permit("doorbell", grant=False)
        page.wait("!document.querySelector('.question')")
        page.emulate(width=360, height=760, scale=2, phone=True)
        page.evaluate("new Promise(done => setTimeout(done, 1500))")
        page.screenshot(f"{options.folder}/live-phone.png")
        asked.cancel()
    for call in calls:
        call.end()
    server.stop()


if __name__ == "__main__":
    main()
