"""Judges what a client has sent, told and played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from anechoic.v1 import config_pb2
from calls import PERIOD, Start
from clients import Client
from server import Server

MOST_AGE = 0.1  # seconds by which the first sample of a new session may be older than its `started`
MOST_OVERTAKEN = 0.03  # seconds of audio that a request to unmute may overtake: a frame that is not complete
MOST_ODD = 0.02  # the share of samples that may be neither processed nor raw, where one fades into the other
MOST_FADES = 0.06  # seconds of such samples that a short or mostly silent output may have


class Heard(str):
    """A complaint about a muted person who is heard. It is a failure at the first try."""


class Sound:
    """The output of a client: processed samples are negative, raw ones positive."""

    def __init__(self, path: Path, rate: int) -> None:
        self.samples = np.fromfile(path, "<i2").astype(np.int64) if path.exists() else np.zeros(0, np.int64)
        self.rate = rate

    def part(self, begin: float, end: float) -> np.ndarray:
        return self.samples[round(begin * self.rate): round(end * self.rate)]

    def delay(self) -> tuple[int, int, int]:
        """The delay that most samples have, the number of the others, and that of all. Silence has no delay."""
        at = np.flatnonzero(self.samples)
        if not len(at):
            return 0, 0, 0
        delays = (at - (np.abs(self.samples[at]) - 1)) % PERIOD
        values, counts = np.unique(delays, return_counts=True)
        # A client that calculates with floats may be off by one.
        near = (np.abs(delays - values[np.argmax(counts)]) <= 1).sum()
        return int(values[np.argmax(counts)]), len(at) - int(near), len(at)


class Judge:
    """Collects complaints."""

    def __init__(self, vector: dict, client: Client, server: Server, began: float, events: list[dict], output: Path):
        self.vector, self.client, self.server, self.began, self.events = vector, client, server, began, events
        self.expected = {**vector["expect"], **vector["expect"].get(client.kind, {})}
        self.sound = Sound(output, client.rate)
        self.complaints: list[str] = []

    def verdict(self) -> list[str]:
        self._starts()
        self._audio()
        self._controls()
        self._times()
        self._told()
        self._played()
        return self.complaints

    def _say(self, complaint: str) -> None:
        self.complaints.append(complaint)

    def _starts(self) -> None:
        starts = self.server.starts
        expected = self.expected.get("starts")
        if expected is None:
            return
        if len(starts) < len(expected) or (len(starts) > len(expected) and not self.expected.get("more_starts")):
            return self._say(f"{len(starts)} starts, not {len(expected)}: {[self._short(each) for each in starts]}")
        for number, (start, values) in enumerate(zip(starts, expected), 1):
            self._start(number, start, values)
        if (last := dict(self.expected.get("last_start", {}))):
            begin, end = last.pop("from_ms"), last.pop("to_ms")
            self._start(len(starts), starts[-1], last)
            at = (starts[-1].time - self.began) * 1000
            if not begin - 20 <= at <= end + self.client.patience * 1000:
                self._say(f"the last start came at {at:.0f} ms, not from {begin} to {end}")

    def _short(self, start: Start) -> str:
        resumes = "resume" if start.start.resume_token else "new"
        return f"{resumes} at {start.time - self.began:.2f} s: {start.answer}"

    def _start(self, number: int, start: Start, values: dict) -> None:
        message = start.start
        ids = [each.id for each in self.server.starts[: number - 1] if each.id]
        found = {
            "resumes": bool(message.resume_token), "muted": message.muted,
            "same_id": bool(ids) and message.session_id == ids[-1],
            "mic_mode": config_pb2.MicMode.Name(message.config.preferred_mic_mode),
            "pins_stages": message.config.voice_processing.HasField("noise_suppression"),
            "ticket": start.ticket, "from_event": start.from_event,
            "rate": message.inputs.microphone.sample_rate_hz, "labels": dict(message.labels), "engine": message.engine,
        }
        for name, value in values.items():
            if found[name] not in (value if isinstance(value, list) else [value]):
                self._say(f"start {number}: {name} is {found[name]}, not {value}")

    def _audio(self) -> None:
        """Each session begins with sample 0, which is new, and its samples follow each other."""
        for number, start in enumerate(self.server.starts, 1):
            if start.first_index is None:
                continue
            for each in start.breaks[:1]:
                if not self.expected.get("breaks"):
                    self._say(f"start {number}: a sample is missing or repeated {each}")
            if start.start.resume_token:
                continue
            if start.first_index != 0 and not (number == 1 and self.client.begins_late):
                self._say(f"start {number}: the first sample is {start.first_index}, not 0")
            if self.client.is_live and not self.vector.get("changes_format") and not self.vector.get("pauses"):
                age = self._later(start.answered - self.began, start.first_value - 1)
                if age > MOST_AGE + self.client.patience:
                    self._say(f"start {number}: the first sample is {age * 1000:.0f} ms old")

    def _later(self, seconds: float, sample: int) -> float:
        """Returns by how many seconds a time is later than a sample, as the microphone counts it from 0 on."""
        return ((seconds * self.client.rate - sample + PERIOD / 2) % PERIOD - PERIOD / 2) / self.client.rate

    def _controls(self) -> None:
        for name, count in self.expected.get("controls", {}).items():
            sent = sum(control.WhichOneof("control") == name for _, control in self.server.controls)
            if sent != count:
                self._say(f"sends {name} {sent} times, not {count}")
        if (least := self.expected.get("unmutes_from_ms")) is None:
            return
        if not self.server.unmutes:
            self._say("sends no request to unmute")
        for heard in self.server.unmutes:
            missing = 0.0 if heard is None else self._later(least / 1000, heard)
            if missing > MOST_OVERTAKEN:
                self._say(f"a request to unmute overtakes {missing * 1000:.0f} ms of the audio from before {least} ms")

    def _times(self) -> None:
        """The pauses between the end of an attempt and the next start."""
        starts = self.server.starts
        for number, (least, most) in self.expected.get("pauses_ms", {}).items():
            number = int(number)
            if len(starts) <= number:
                continue  # Another complaint says so.
            before, after = starts[number - 1], starts[number]
            begin = before.time
            if before.answer in ("refuse", "garbage", "unknown token"):
                begin = before.answered
            elif before.answer in ("lose", "accept"):
                losses = [each for each in self.server.losses if before.time <= each <= after.time]
                begin = losses[-1] if losses else begin
            pause = (after.time - begin) * 1000
            if not least - 20 <= pause <= most + self.client.patience * 1000:
                self._say(f"{pause:.0f} ms between starts {number} and {number + 1}, not {least} to {most}")

        refused = self.server.gate.refused
        if len(refused) > 1:  # The pauses double up to 350 to 650 ms.
            duration = refused[-1] - refused[0]
            if len(refused) > 4 + duration / 0.35:
                self._say(f"{len(refused)} connections in {duration:.1f} s while the server was away")
        for span in self.expected.get("connections", []):
            begin, end = (self.began + span[name] / 1000 for name in ("from_ms", "to_ms"))
            count = sum(begin <= each < end for each in refused)
            if not span["least"] <= count <= span["most"]:
                self._say(f"{count} connections from {span['from_ms']} to {span['to_ms']} ms, "
                          f"not {span['least']} to {span['most']}")

    def _told(self) -> None:
        told = [each.get("event") for each in self.events]
        for name in self.expected.get("tells", []):
            if name in self.client.tells and name not in told:
                self._say(f"does not tell {name!r}, only {told}")
        for expected in self.expected.get("told", []):
            name, begin, end = expected["event"], expected["from_ms"], expected["to_ms"]
            times = [(each["time"] - self.began) * 1000 for each in self.events if each.get("event") == name]
            if not any(begin - 20 <= each <= end + self.client.patience * 1000 for each in times):
                self._say(f"tells {name!r} at {[round(each) for each in times]} ms, not from {begin} to {end}")
        for name, most in self.expected.get("tells_at_most", {}).items():
            if told.count(name) > most:
                self._say(f"tells {name!r} {told.count(name)} times, not {most}")

    def _played(self) -> None:
        sound, seconds = self.sound, self.vector["seconds"]
        if self.expected.get("output") == "any" or self.client.kind == "watcher":
            return
        length = len(sound.samples) / self.client.rate
        if not self.vector.get("changes_format"):
            if abs(length - seconds) > self.client.most_missing:
                self._say(f"{length:.2f} s of output for {seconds} s of the microphone")
            delay, others, heard = sound.delay()
            has_one_delay = self.client.has_one_delay and not self.expected.get("fades")
            if has_one_delay and others > max(MOST_ODD * heard, MOST_FADES * self.client.rate):
                self._say(f"the delay changes: {others / heard:.1%} of the samples are not {delay} samples late")
        for span in self.expected.get("sound", []):
            self._span(span)
        within = self.expected.get("processed_again_within_ms")
        if within is not None and self.server.starts:
            self._again(within / 1000)

    def _span(self, span: dict) -> None:
        shift = self.sound.delay()[0] / self.client.rate if span.get("of") == "microphone" else 0.0
        begin, end = span["from_ms"] / 1000 + shift, span["to_ms"] / 1000 + shift
        part = self.sound.part(begin, end)
        wanted = span["is"]
        if wanted == "fallback":
            wanted = self.client.fallback
        if wanted == "any" or not len(part):
            return
        shares = {"processed": (part < 0).mean(), "raw": (part > 0).mean(), "silent": (part == 0).mean()}
        least = 1.0 if wanted == "silent" and span["is"] == "silent" else span.get("share", 0.9)
        if shares[wanted] < least:
            found = ", ".join(f"{share:.0%} {name}" for name, share in shares.items())
            complaint = f"{span['from_ms']} to {span['to_ms']} ms is not {wanted}: {found}"
            if span["is"] == "silent":
                heard = np.flatnonzero(part) / self.client.rate * 1000 + span["from_ms"]
                complaint = Heard(f"{complaint}; heard from {heard[0]:.0f} to {heard[-1]:.0f} ms")
            self._say(complaint)

    def _again(self, within: float) -> None:
        """Sound is processed again soon after the last answer to a start, and stays so."""
        accepted = [each for each in self.server.starts if each.answer == "accept" and each.answered]
        if not accepted or not self.client.is_live:
            return
        answered = accepted[-1].answered - self.began
        begin = min(max(answered + within, 0.0), self.vector["seconds"] - 0.3)
        part = self.sound.part(begin, self.vector["seconds"] - 0.2)
        if not len(part) or (part < 0).mean() < 0.9:
            share = (part < 0).mean() if len(part) else 0
            first = np.flatnonzero(self.sound.part(max(answered, 0.0), self.vector["seconds"]) < 0)
            when = f"after {first[0] / self.client.rate * 1000:.0f} ms" if len(first) else "never"
            self._say(f"{share:.0%} is processed from {within * 1000:.0f} ms after the last answer on; first {when}")
