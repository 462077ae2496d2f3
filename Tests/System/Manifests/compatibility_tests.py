"""What scripts/test compatibility calls a break in Python and in the settings."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Compatibility"))
import python_interface  # noqa: E402
import settings_keys  # noqa: E402


def called_with(*parameters):
    """A function whose parameters are given as name, kind, and whether there is a default."""
    return {"anechoic.process": {
        "kind": "function", "asynchronous": False, "parameters": [list(each) for each in parameters]}}


PATH, RATE = ("path", "POSITIONAL_OR_KEYWORD", False), ("rate", "KEYWORD_ONLY", True)


class PythonInterface(unittest.TestCase):
    def test_tells_additions_from_breaks(self):
        before = called_with(PATH, RATE)
        for now, problem in [
            (before, None),
            (called_with(PATH, RATE, ("engine", "KEYWORD_ONLY", True)), None),
            (called_with(PATH, RATE, ("engine", "KEYWORD_ONLY", False)), "needs the parameter engine"),
            (called_with(PATH), "has no parameter rate"),
            (called_with(PATH, ("rate", "KEYWORD_ONLY", False)), "needs the parameter rate"),
            (called_with(("path", "KEYWORD_ONLY", False), RATE), "takes the parameter path in another way"),
            (called_with(("file", "POSITIONAL_OR_KEYWORD", True), PATH, RATE), "has the parameter path in another place"),
            ({}, "is gone"),
            ({"anechoic.process": {"kind": "attribute"}}, "is no function"),
        ]:
            with self.subTest(problem):
                found = python_interface.breaks(before, now)
                self.assertEqual(found, [f"anechoic.process {problem}"] if problem else [])

    def test_keywords_that_are_passed_on_may_be_named(self):
        before = called_with(PATH, ("options", "VAR_KEYWORD", False))
        self.assertEqual(python_interface.breaks(before, called_with(PATH, RATE)), [])
        self.assertEqual(python_interface.breaks(before, called_with(RATE)), ["anechoic.process has no parameter path"])

    def test_a_class_keeps_its_bases(self):
        before = {"anechoic.NotFound": {"kind": "class", "bases": ["AnechoicError"]}}
        now = {"anechoic.NotFound": {"kind": "class", "bases": ["Exception"]}}
        self.assertEqual(python_interface.breaks(before, now), ["anechoic.NotFound is no AnechoicError"])

    def test_the_package_has_its_public_names(self):
        with tempfile.NamedTemporaryFile() as file:
            # That of Debian has grpcio and numpy.
            subprocess.run(["/usr/bin/python3", "-B", python_interface.__file__, file.name], check=True)
            found = json.loads(Path(file.name).read_text())
        self.assertIn("anechoic.Session.feed", found)
        self.assertFalse([name for name in found if "._" in name.replace(".__", ".")])


class SettingsKeys(unittest.TestCase):
    def test_tells_additions_from_breaks(self):
        before = "anechoic-server\tlog.level\t--log-level\tANECHOIC_LOG_LEVEL\tno"
        for now, problem in [
            ([before, "anechoic-server\tlog.color\t--log-color\tANECHOIC_LOG_COLOR\tno"], None),
            ([before.replace("\tno", "\tyes")], None),
            ([], "anechoic-server has no setting log.level"),
            ([before.replace("--log-level", "--level")],
             "anechoic-server: the flag of log.level was --log-level and is --level"),
        ]:
            with self.subTest(problem):
                self.assertEqual(list(settings_keys.breaks([before], now)), [problem] if problem else [])

    def test_reads_both_tables(self):
        found = settings_keys.settings()
        self.assertIn("anechoic-server\tlisten.public\t--listen\tANECHOIC_LISTEN\tno", found)
        self.assertTrue(any(line.startswith("anechoic-edge\t\t--input\t") for line in found))


if __name__ == "__main__":
    unittest.main()
