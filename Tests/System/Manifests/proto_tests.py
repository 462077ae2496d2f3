"""What scripts/test proto calls a break."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3]

FIRST = """
syntax = "proto3";
package anechoic.v1;
message Request {
  reserved 9;
  int32 rate = 1;
  optional string name = 2;
  oneof source { bytes audio = 3; string text = 4; }
  enum Mode { MODE_UNSPECIFIED = 0; MODE_FAST = 1; }
  Mode mode = 5;
}
message Response {}
service Voice { rpc Process(stream Request) returns (stream Response); }
"""

# A change of the file above, and what the script says of it; nothing if clients do not break.
CHANGES = {
    "int32 rate = 1;": {
        "int32 rate = 1; int32 channels = 6;": None,
        "int64 rate = 1;": "the field anechoic.v1.Request.rate is not what it was",
        "int32 rate = 7;": "the field anechoic.v1.Request.rate is not what it was",
        "repeated int32 rate = 1;": "the field anechoic.v1.Request.rate is not what it was",
        "int32 sample_rate = 1;": "the field anechoic.v1.Request.rate is gone",
        "": "the field anechoic.v1.Request.rate is gone",
        'reserved 1; reserved "rate";': None,
        "reserved 1;": "the field anechoic.v1.Request.rate is gone",
    },
    "optional string name": {"string name": "the field anechoic.v1.Request.name is not"},
    "string text = 4; }": {"} string text = 4;": "the field anechoic.v1.Request.text is not"},
    "MODE_FAST = 1;": {
        "MODE_FAST = 1; MODE_SLOW = 2;": None,
        "MODE_FAST = 2;": "the value anechoic.v1.Request.Mode.MODE_FAST is not what it was",
        "": "the value anechoic.v1.Request.Mode.MODE_FAST is gone",
    },
    "(stream Request)": {"(Request)": "the method anechoic.v1.Voice.Process is not what it was"},
    "rpc Process(stream Request) returns (stream Response);": {
        "": "the method anechoic.v1.Voice.Process is gone"},
    "message Response {}": {"message Response {} message Other {}": None},
}


class CheckProto(unittest.TestCase):
    def test_tells_additions_from_breaks(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "scripts/tests").mkdir(parents=True)
            shutil.copy(PACKAGE / "scripts/tests/proto", root / "scripts/tests")
            shutil.copytree(PACKAGE / "scripts/lib", root / "scripts/lib")
            file = root / "proto/anechoic/v1/voice.proto"
            file.parent.mkdir(parents=True)
            file.write_text(FIRST)
            git = ["git", "-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost"]
            for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "first"]):
                subprocess.run([*git, *command], check=True)
            for part, changes in CHANGES.items():
                self.assertIn(part, FIRST)
                for changed, problem in changes.items():
                    with self.subTest(f"{part} -> {changed}"):
                        file.write_text(FIRST.replace(part, changed))
                        checked = subprocess.run(
                            [root / "scripts/tests/proto", "HEAD"], capture_output=True, text=True,
                            check=False)
                        self.assertEqual(checked.returncode, 2 if problem else 0, checked.stderr)
                        self.assertIn(problem or "", checked.stderr)

    def test_an_unknown_revision_is_one_line(self):
        checked = subprocess.run(
            [PACKAGE / "scripts/test", "proto", "no-such-revision"], capture_output=True, text=True,
            check=False)
        self.assertEqual(checked.returncode, 2)
        self.assertEqual(
            checked.stderr, "test proto: there is no proto/ in the revision no-such-revision\n")


if __name__ == "__main__":
    unittest.main()
