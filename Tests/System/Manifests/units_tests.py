"""What the systemd units promise."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from deployments import DEPLOY

UNITS = {
    "anechoic-server": DEPLOY / "systemd/anechoic-server.service",
    "anechoic-edge": DEPLOY / "edge/anechoic-edge.service",
}


def unit(name):
    """The settings of a unit; a setting that is given twice is a list."""
    settings = {}
    for line in UNITS[name].read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            settings.setdefault(key, []).append(value)
    return settings


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Units(unittest.TestCase):
    def test_are_correct(self):
        with tempfile.TemporaryDirectory() as root:
            for name, file in UNITS.items():
                program = Path(root, "usr/bin", name)
                program.parent.mkdir(parents=True, exist_ok=True)
                program.touch(mode=0o755)
                installed = Path(root, "etc/systemd/system", file.name)
                installed.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, installed)
            Path(root, "bin").mkdir()
            shutil.copy("/bin/sh", Path(root, "bin/sh"))
            system = os.path.realpath("/lib/systemd/system")
            shutil.copytree(system, Path(root, "lib/systemd/system"), symlinks=True)
            names = [file.name for file in UNITS.values()]
            checked = subprocess.run(
                ["systemd-analyze", "verify", f"--root={root}", "--man=no", *names],
                capture_output=True, text=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_are_hardened(self):
        # systemd's own measure: 0 is the safest, 10 is no protection.
        for name, most in {"anechoic-server": 1.6, "anechoic-edge": 2.1}.items():
            with self.subTest(name):
                printed = subprocess.run(
                    ["systemd-analyze", "security", "--offline=yes", "--no-pager", UNITS[name]],
                    capture_output=True, text=True, check=False).stdout
                exposure = float(re.search(r"Overall exposure level.*: ([0-9.]+)", printed).group(1))
                self.assertLessEqual(exposure, most)


class Service(unittest.TestCase):
    def test_a_start_and_a_reload_check_the_settings_of_the_service(self):
        settings = unit("anechoic-server")
        start, check = settings["ExecStart"][0], settings["ExecStartPre"][0]
        options = start.removeprefix("/usr/bin/anechoic-server")
        self.assertEqual(check, f"/usr/bin/anechoic-server check-config{options} --allow-expired")
        self.assertEqual(settings["ExecReload"][0], check)
        self.assertEqual(settings["Type"], ["notify"])

    def test_is_killed_after_the_drain_only(self):
        sample = (DEPLOY / "anechoic-server.yaml").read_text()
        drain = re.search(r"^[# ]*drain_time: (\d+)s?$", sample, re.MULTILINE).group(1)
        self.assertGreater(int(unit("anechoic-server")["TimeoutStopSec"][0]), int(drain))

    def test_the_edge_agent_remembers_in_the_folder_of_its_service(self):
        settings = unit("anechoic-edge")
        self.assertEqual(settings["StateDirectory"], ["anechoic-edge"])
        self.assertIn("XDG_STATE_HOME=/var/lib", settings["Environment"])

    def test_runs_as_the_users_that_the_packages_make(self):
        for name, file in UNITS.items():
            users = file.with_suffix(".sysusers").read_text()
            self.assertRegex(users, rf"(?m)^u {unit(name)['User'][0]} ")


if __name__ == "__main__":
    unittest.main()
