"""Prints how much of a telephone line's echo the bridge removes, and what it does to voices and tones."""

import asyncio

import numpy as np
from line import RATE, Line, hybrid, room
from programs import Program, server
from telephone import Application, Provider
from voices import level, spoken

ANSWER = ("Thank you for calling. Our office is open from nine to five on every working day, and on the first "
          "Saturday of each month. Please tell me your name, your number, and the reason of your call. You can "
          "also write to us, and we will answer within two days. Is there anything else that I can do for you?")
CALLER = "Yes, I would like to change my appointment, because I have to travel on Monday."
DELAY = 0.12
LINES = (
    [(f"hybrid, {decibels} dB, tail {round(1000 * tail)} ms, delay {round(1000 * delay)} ms",
      hybrid(decibels, tail, delay))
     for decibels, tail, delay in ((-6, 0.128, 0.02), (-10, 0.128, 0.2), (-14, 0.064, 0.4), (-20, 0.128, 0.4))]
    + [("speakerphone, -6 dB, 0.4 s reverberation, delay 100 ms", room(-6, 0.4, 0.1))])
TONES = {"1 kHz": (1000,), "ring-back, 440 and 480 Hz": (440, 480), "busy, 480 and 620 Hz": (480, 620)}
DIGITS = {"1": (697, 1209), "5": (770, 1336), "9": (852, 1477), "0": (941, 1336)}


def tone(frequencies: tuple[int, ...], seconds: float, decibels: float = -13) -> np.ndarray:
    times = np.arange(round(seconds * RATE)) / RATE
    return sum(10 ** (decibels / 20) * np.sin(2 * np.pi * frequency * times) for frequency in frequencies)


class Calls:
    """A server and a bridge, for one call after another."""

    def __init__(self, *options: str) -> None:
        self.options = options

    async def __aenter__(self) -> "Calls":
        self.server = await server().__aenter__()
        return self

    async def __aexit__(self, *_) -> None:
        await self.server.__aexit__()

    async def call(self, response: np.ndarray, answer: np.ndarray, caller: list, seconds: float):
        """Returns the microphone and what the application heard, at the same times."""
        async with Application() as application, Program(
                "ANECHOIC_BRIDGE", "media-streams", "--listen", "127.0.0.1:0", "--upstream",
                f"ws://127.0.0.1:{application.port}/", "--server", f"127.0.0.1:{self.server.port}",
                *self.options) as bridge:
            line = Line(response)
            for samples, begin in caller:
                line.say(samples, begin)
            async with Provider(bridge.port, line):
                await asyncio.sleep(1)
                if len(answer):
                    await application.speak(answer)
                await asyncio.sleep(seconds - 1)
            await asyncio.wait_for(application.has_ended.wait(), 5)
            if any("too late" in text for text in bridge.lines):
                print("processed sound came too late: the machine is too busy")
            return line.sent, application.heard


async def echoes() -> None:
    print("| line | echo lower by, from 1 s | from 6 s | caller alone |\n|---|---|---|---|")
    answer, caller = spoken(ANSWER, RATE), spoken(CALLER, RATE, "en-gb", 150)
    end = 1 + len(answer) / RATE
    async with Calls() as calls:
        async def one(name: str, response: np.ndarray) -> str:
            begin = end + 1.5
            sent, heard = await calls.call(response, answer, [(caller, begin)], begin + len(caller) / RATE + 1)

            def change(start: float, stop: float) -> float:
                part = slice(round(start * RATE), round(stop * RATE))
                return level(sent[part]) - level(heard[part])

            alone = change(begin, begin + len(caller) / RATE)
            return f"| {name} | {change(2, 7):.1f} dB | {change(7, end):.1f} dB | {-alone:+.1f} dB |"

        for start in range(0, len(LINES), 3):
            for row in await asyncio.gather(*[one(*line) for line in LINES[start: start + 3]]):
                print(row, flush=True)


async def tones(*options: str) -> None:
    print(f"\n| tone of the caller {' '.join(options)} | level changed by |\n|---|---|")
    digits = np.concatenate([np.pad(tone(pair, 0.1, -10), (0, 800)) for pair in DIGITS.values()])
    signals = {"DTMF, 100 ms each": digits} | {name: tone(pair, 2) for name, pair in TONES.items()}
    async with Calls(*options) as calls:
        async def one(name: str, samples: np.ndarray) -> str:
            noise = np.random.default_rng(1).normal(0, 0.0005, 8 * RATE)
            sent, heard = await calls.call(np.zeros(1), np.zeros(0), [(samples, 3), (noise, 0)],
                                           5 + len(samples) / RATE)
            part = slice(3 * RATE, 3 * RATE + len(samples))
            return f"| {name} | {level(heard[part]) - level(sent[part]):+.1f} dB |"

        for row in await asyncio.gather(*[one(*signal) for signal in signals.items()]):
            print(row, flush=True)


async def main() -> None:
    await echoes()
    for options in ([], ["--output", "recognizer"], ["--mic-mode", "wide-spectrum"]):
        await tones(*options)


if __name__ == "__main__":
    asyncio.run(main())
