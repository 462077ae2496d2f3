"""A day at a desk, as a script: a call begins, is muted and unmuted, and ends, while music and other machines play.

Two machines of one person, each with an edge agent, a sound server, a message bus and programs, in a network namespace
of its own; and a server with the arbiter of their headset. Prints how long after each step each effect came.
"""

from __future__ import annotations

import argparse
import sys
import time
import wave
from pathlib import Path

from machine import RATE, Machine, Program, until
from network import Network
from timeline import LIMIT, draw

# The arbiter keeps a claim for 2 s: see docs/features/automatic-switching.md.
LATER = {"the laptop's music plays again": 2000 + LIMIT}


class Day:
    def __init__(self, desk: Machine, laptop: Machine, speech: bytes) -> None:
        self.desk, self.laptop, self.speech = desk, laptop, speech
        self.effects: list[tuple[str, str, float, float]] = []  # step, effect, time of the step in s, ms
        self.begin = time.monotonic()

    def step(self, name: str, act, effects: dict) -> None:
        """Does something, and measures when each of its effects comes."""
        act()
        begin, left = time.monotonic(), dict(effects)
        while left:
            for effect in [effect for effect, condition in left.items() if condition()]:
                milliseconds = 1000 * (time.monotonic() - begin)
                self.effects.append((name, effect, begin - self.begin, milliseconds))
                del left[effect]
            if time.monotonic() - begin > 10:
                raise SystemExit(f"day: {name}: did not come: {', '.join(left)}")
            time.sleep(0.002)

    def stays(self, name: str, condition, seconds: float) -> None:
        """Checks that a condition stays true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not condition():
                raise SystemExit(f"day: {name}")
            time.sleep(0.01)

    def run(self) -> None:
        desk, laptop = self.desk, self.laptop
        # Both machines play music, the laptop with the headset, because it began later.
        for machine in (desk, laptop):
            machine.press("Pause")
            time.sleep(2.5)
            machine.press("Play")
        until("the laptop has the headset", lambda: laptop.holds_headset)
        until("rest", lambda: desk.lamp("microphone") is False and not desk.microphone_is_open
              and not desk.status.call.active)
        time.sleep(1)
        program: list[Program] = []
        self.step("a program opens the microphone", lambda: program.append(Program(desk)), {
            "music pauses": lambda: desk.player == "Paused",
            "the microphone's lamp is lit": lambda: desk.lamp("microphone") is True,
            "the headset is claimed from the laptop": lambda: desk.holds_headset,
            "the laptop's music pauses": lambda: laptop.player == "Paused",
            "the program hears the microphone": lambda: program[0].count > 0,
        })
        time.sleep(1.5)
        self.step("the person presses the mute key", desk.press_mute, {
            "the mute lamp is lit": lambda: desk.lamp("mute") is True,
            "the microphone's lamp is dark": lambda: desk.lamp("microphone") is False,
        })
        time.sleep(1)
        self.step("the person talks", lambda: desk.talk(self.speech), {
            "the mute lamp blinks": lambda: desk.lamp("mute") is False,
            "the desktop shows it": lambda: desk.notifications == ["You are muted"],
        })
        self.stays("muted, the microphone's lamp is lit", lambda: desk.lamp("microphone") is not True, 0.5)
        self.step("the person presses the mute key again", desk.press_mute, {
            "the mute lamp is dark": lambda: desk.lamp("mute") is False and not desk.status.muted,
            "the microphone's lamp is lit": lambda: desk.lamp("microphone") is True,
            "the notification closes": lambda: not desk.notifications,
        })
        desk.talk(b"")
        desk.music.say(self.speech[:RATE])  # Half a second: a notification.
        self.stays("a notification took something", lambda: desk.holds_headset and desk.player == "Paused", 1.5)
        laptop.music.say(self.speech)
        self.stays("another machine's media took the headset", lambda: desk.holds_headset, 3)
        self.step("the program closes the microphone", program[0].close, {
            "music plays again": lambda: desk.player == "Playing",
            "the microphone's lamp is dark": lambda: desk.lamp("microphone") is False,
            "the microphone is closed": lambda: not desk.microphone_is_open,
            "no session is left": lambda: not desk.status.connected,
            "the laptop's music plays again": lambda: laptop.player == "Playing",
        })

    def report(self) -> int:
        late = 0
        for step, effect, _, milliseconds in self.effects:
            mark = "" if milliseconds <= LATER.get(effect, LIMIT) else "  LATE"
            late += bool(mark)
            print(f"{step:40} {effect:36} {milliseconds:6.0f} ms{mark}")
        return late


def spoken(path: Path) -> bytes:
    """The near end of the sample: from its first word at 9.1 s to 13.9 s."""
    with wave.open(str(path)) as file:
        assert file.getframerate() == RATE and file.getnchannels() == 1
        file.setpos(round(9.1 * RATE))
        return file.readframes(round(4.8 * RATE))


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/test day", description=__doc__)
    parser.add_argument("--bin", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--sample", type=Path, required=True)
    parser.add_argument("--days", type=int, default=3)
    parser.add_argument("--untimed", action="store_true")
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    late, machines = 0, []
    with Network(["server", "desk", "laptop"]) as network:
        address = f"{network.addresses['server']}:50051"
        log = (options.work / "server.log").open("wb")
        server = network.start("server", [
            str(options.bin / "anechoic-server"), "--listen", address, "--authentication", "none", "--http-listen",
            "off", "--frame-budget", "0"], log)
        try:
            for name in ("desk", "laptop"):
                machines.append(Machine(
                    name, options.work / name, options.bin, ["ip", "netns", "exec", network.space(name)], address))
            for machine in machines:
                until("the arbiter", lambda machine=machine: machine.status.switching.connected)
            for number in range(options.days):
                day = Day(*machines, spoken(options.sample))
                day.run()
                print(f"Day {number + 1}:")
                late += day.report()
                if options.picture:
                    options.picture.write_text(draw(day.effects))
        finally:
            for machine in machines:
                machine.stop()
            server.terminate()
            server.wait(10)
    print(f"{late} effects came too late")
    return 1 if late and not options.untimed else 0


if __name__ == "__main__":
    sys.exit(main())
