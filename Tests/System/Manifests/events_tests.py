"""What scripts/generate events accepts, and what its check finds."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3]
NEW = """
// The person at the microphone stood up.
message PersonMoved {
  option (shown) = {
    line: WORDS
  };
  bool away = 1;
  Side side = 2;
  string name = 3;
  MuteState state = 4;
  float gain_db = 5;
  int64 rose_at_sample = 6 [(microphone_position) = true];
}
"""
MISTAKES = {
    '"{nobody} stands"': 'there is no field "nobody"',
    '"{away?stands"': "a brace is not closed",
    '"stands}"': '"}" closes nothing',
    '"{side=LEFT?stands}"': 'side: there is no value "SIDE_LEFT"',
    '"{name:loud} stands"': '":loud" is unknown; use :words or :s',
    '"{name:words} stands"': 'the tool has no format ":words"',
    '""': "option (shown).line must give its words",
    '"stands" notable: "name"': 'notable: "name" is not a bool',
}


class EventsTests(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copytree(PACKAGE / "proto", self.root / "proto")
        shutil.copytree(PACKAGE / "scripts", self.root / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        for name in (
            "Sources/Programs/anechoic/Sessions/Generated", "Sources/Server/CLivePage/page",
            "clients/native/src", "clients/python/src/anechoic", "clients/swift/AnechoicAPI/Events/Generated",
        ):
            shutil.copytree(PACKAGE / name, self.root / name)

    def generate(self, *arguments):
        return subprocess.run(
            [self.root / "scripts/generate", "events", *arguments], capture_output=True, text=True, check=False)

    def add(self, words, message=NEW):
        file = self.root / "proto/anechoic/v1/events.proto"
        text = (PACKAGE / "proto/anechoic/v1/events.proto").read_text()
        number = "    PlaybackClientChanged playback_client_changed = 34;\n"
        self.assertIn(number, text)
        file.write_text(text.replace(number, f"{number}    PersonMoved person_moved = 99;\n") + message.replace(
            "WORDS", words))

    def read(self, name):
        return (self.root / name).read_text()

    def test_a_new_event_fails_the_check_until_it_is_generated(self):
        result = self.generate("--check")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.add('"{name} {away?\\"left\\"|{side=NEAR_END?sits|stands at {gain_db}}}{state? ({state})}"')
        result = self.generate("--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("run scripts/generate", result.stderr)
        result = self.generate()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(self.generate("--check").returncode, 0)
        swift = self.read("Sources/Programs/anechoic/Sessions/Generated/SessionEvent+Phrase.swift")
        self.assertIn('\\(away ? "\\"left\\"" : side == .nearEnd ? "sits" : ', swift)
        self.assertIn('\\(hasState ? " (\\(state.phrase))" : "")', swift)
        page = self.read("Sources/Server/CLivePage/page/event-words.js")
        self.assertIn('e.away ? "\\"left\\"" : e.side === "SIDE_NEAR_END" ? "sits" : ', page)
        self.assertIn('number(e.gainDb ?? 0, 0, "dB")', page)
        swift = self.read("clients/swift/AnechoicAPI/Events/Generated/SessionEvent+Positions.swift")
        self.assertIn("case .personMoved(var change):\n      change.roseAtSample &+= samples\n", swift)
        native = self.read("clients/native/src/EventPositions.cpp")
        self.assertIn("case v1::SessionEvent::kPersonMoved:\n      place(event.mutable_person_moved(), ", native)
        python = self.read("clients/python/src/anechoic/_session_events.py")
        self.assertIn('class PersonMoved(Event):\n    """The person at the microphone stood up."""', python)

    def test_a_mistake_is_named(self):
        for words, problem in MISTAKES.items():
            with self.subTest(words=words):
                self.add(words)
                result = self.generate()
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("anechoic.v1.PersonMoved", result.stderr)
                self.assertIn(problem, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)

    def test_an_event_without_a_comment_is_refused(self):
        self.add('"stands"', NEW.partition("\n")[2].partition("\n")[2])
        self.assertIn("anechoic.v1.PersonMoved: a comment above it", self.generate().stderr)


if __name__ == "__main__":
    unittest.main()
