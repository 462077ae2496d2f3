"""Checks that modules of Swift import only modules of their own floor and of the floors below: docs/architecture.md."""

import re
import unittest
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3]
# From the lowest to the highest.
FLOORS = ["Sources/System", "Sources/Audio", "Sources/Engines", "clients/swift", "Sources/Session", "Sources/Common",
          "Sources/Server", "Sources/Edge", "Sources/Programs"]
IMPORT = re.compile(r"^(?:\w+ )?import (\w+)$", re.MULTILINE)


class FloorsTests(unittest.TestCase):
    def test_imports_point_down(self):
        floors = {folder.name: level for level, floor in enumerate(FLOORS)
                  for folder in (PACKAGE / floor).iterdir() if folder.is_dir()}
        self.assertGreater(len(floors), 30)
        wrong = []
        for level, floor in enumerate(FLOORS):
            for file in (PACKAGE / floor).rglob("*.swift"):
                wrong += [f"{file.relative_to(PACKAGE)} imports {name}" for name in IMPORT.findall(file.read_text())
                          if floors.get(name, 0) > level]
        self.assertEqual([], wrong)

    def test_the_page_lists_the_floors_in_this_order(self):
        page = (PACKAGE / "docs/architecture.md").read_text()
        drawing = page[page.index("The folders are floors"):page.index("| floor | module | job |")]
        self.assertEqual(FLOORS[::-1], re.findall(r"^ ((?:Sources|clients)/\w+) ", drawing, re.MULTILINE))


if __name__ == "__main__":
    unittest.main()
