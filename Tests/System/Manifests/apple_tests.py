"""docs/apple.md names tests that exist, and that contain the field of their row."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[3]
ROWS = re.compile(r"^\| (?P<apple>.+?) \| (?P<here>.+?) \| (?P<test>.+?) \|$", re.MULTILINE)


def spellings(code):
    """The ways in which a test may write a name of the protocol or of a setting, in lower case without underscores."""
    return {word.replace("_", "").lower() for word in re.findall(r"[A-Za-z_]{4,}", code)}


class AppleTests(unittest.TestCase):
    def setUp(self):
        self.rows = [row.groupdict() for row in ROWS.finditer((ROOT / "docs/apple.md").read_text())]
        self.tests = {path.stem: path.read_text().replace("_", "").lower() for path in (ROOT / "Tests").rglob("*.swift")}

    def named(self, row):
        return re.findall(r"`(\w+Tests)`", row["test"])

    def test_each_test_exists(self):
        self.assertGreater(len(self.rows), 50)
        missing = {name for row in self.rows for name in self.named(row)} - self.tests.keys()
        self.assertEqual(missing, set())

    def test_a_test_contains_the_field_of_its_row(self):
        for row in self.rows:
            names, fields = self.named(row), re.findall(r"`([^`]+)`", row["here"])
            words = set().union(*map(spellings, fields)) if fields else set()
            if names and words:
                text = "".join(self.tests[name] for name in names)
                self.assertTrue(any(word in text for word in words), f"{names} contain none of {fields}")


if __name__ == "__main__":
    unittest.main()
