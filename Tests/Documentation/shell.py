"""Runs the commands of a page in one shell, in a copy of the repository and a network of its own."""

import os
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

# The time of all commands of a page. A debug build on a busy machine is slow.
PAGE_SECONDS = 180
# The time in which programs may print what the page shows, before the next command or the end.
OUTPUT_SECONDS = 25

DRIVER = """\
set -o pipefail
servers=()
# Waits until the output that the page shows before step $1 is there.
begin() { touch {log}/"$1".waits; until [[ -e {log}/$1.go ]]; do sleep 0.05; done; }
# Waits for the session with the id $1, which a command in the background starts.
session() {
  for _ in {1..200}; do anechoic sessions show "$1" >/dev/null 2>&1 && return; sleep 0.1; done
}
# Waits until the server whose output is in $1 listens, or has ended.
listening() {
  for _ in {1..200}; do
    grep --quiet 'metrics on' "$1" && return
    kill -0 $! 2>/dev/null || return
    sleep 0.1
  done
}
# Ends the servers that an earlier command of the page runs in the foreground.
one_server() {
  ((${#servers[@]})) && kill "${servers[@]}" 2>/dev/null && wait "${servers[@]}" 2>/dev/null
  servers=()
}
"""


@dataclass
class Step:
    """A command of a page. `is_hidden`: the page's prerequisites, which another page shows."""

    line: int
    text: str
    is_endless: bool = False
    is_hidden: bool = False
    status: int | None = None
    output: str = ""


@dataclass
class PageShell:
    root: Path
    folder: Path
    programs: Path
    log: Path
    is_isolated: bool = True
    steps: list[Step] = field(default_factory=list)

    def run(self, is_shown) -> None:
        """Runs the steps. Waits before a step, and at the end (None), until `is_shown(step, False)`, or for
        OUTPUT_SECONDS. Then calls `is_shown(step, True)`."""
        self.log.mkdir(parents=True)
        script = self.log / "driver"
        script.write_text(self.script())
        process = subprocess.Popen(
            self.isolation() + ["bash", str(script)], cwd=self.folder, env=self.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=(self.log / "errors").open("w"), start_new_session=True)
        try:
            end = time.monotonic() + PAGE_SECONDS
            for number, step in enumerate([*self.steps, None]):
                waits = (self.log / f"{number}.waits").exists
                self.wait(process, waits, end - time.monotonic())
                if not waits():
                    break
                self.wait(process, lambda: self.read() or is_shown(step, False), OUTPUT_SECONDS)
                is_shown(step, True)
                (self.log / f"{number}.go").touch()
            self.read()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    @staticmethod
    def wait(process, condition, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not condition() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)

    def read(self) -> None:
        for number, step in enumerate(self.steps):
            output, status = self.log / f"{number}.out", self.log / f"{number}.status"
            step.output = output.read_text(errors="replace") if output.exists() else ""
            step.status = int(status.read_text() or -1) if status.exists() else None

    def script(self) -> str:
        lines = [DRIVER.replace("{log}", shlex.quote(str(self.log)))]
        if self.is_isolated:
            lines.append("ip link set lo up")
            # Sockets in /run would disturb other programs, and stay.
            lines.append("mount --types tmpfs tmpfs /run")
            if not self.root.is_relative_to("/tmp"):
                (self.log / "tmp").mkdir()
                lines.append(f"mount --bind {shlex.quote(str(self.log / 'tmp'))} /tmp")
        for number, step in enumerate(self.steps):
            place = str(self.log / str(number))
            Path(place).write_text(step.text + "\n")
            run = f"source {shlex.quote(place)}"
            kept = f"> {shlex.quote(place + '.out')} 2>&1 < /dev/null"
            status = f"echo $? > {shlex.quote(place + '.status')}"
            lines.append(f"begin {number}")
            if step.text.startswith("anechoic-server") and (
                    step.is_endless or step.text.endswith("&")):
                lines.append("one_server")
            if step.is_endless:
                # `exec` makes the program the process that one_server ends.
                text = Path(place).read_text()
                is_simple = step.text.startswith("anechoic-server") and "|" not in step.text
                if is_simple:
                    Path(place).write_text("exec " + text)
                lines.append(f"( {run}; {status} ) {kept} &")
                if is_simple:
                    lines.append(f"servers+=($!); listening {shlex.quote(place + '.out')}")
            else:
                # A debug build on a busy machine measures its engines for longer than a call waits.
                lines += [
                    "for attempt in {1..6}; do",
                    f"  {run} {kept}; {status}",
                    f"  grep --quiet DEADLINE_EXCEEDED {shlex.quote(place + '.out')} || break",
                    "done",
                ]
            words = shlex.split(step.text, comments=True) if "--session-id" in step.text else []
            if "--loop" in words:
                lines.append(f"session {shlex.quote(words[words.index('--session-id') + 1])}")
        lines.append(f"begin {len(self.steps)}")
        return "\n".join(lines) + "\n"

    def isolation(self) -> list[str]:
        if not self.is_isolated:
            return []
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]

    def environment(self) -> dict[str, str]:
        # The C library of the build, as if its packages were installed.
        (self.log / "libanechoic.pc").write_text(
            "Name: libanechoic\nDescription: Anechoic\nVersion: 0\n"
            f"Cflags: -I{self.root}/Sources/CAnechoic/include\n"
            f"Libs: -L{self.programs} -lanechoic-c -Wl,-rpath,{self.programs}\n")
        # GRPC_VERBOSITY: libgrpc logs each lost connection.
        return os.environ | {
            "PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PKG_CONFIG_PATH": str(self.log),
            "GRPC_VERBOSITY": "NONE",
        }


def can_isolate() -> bool:
    """Whether this user may create network namespaces."""
    probe = PageShell(Path("/"), Path("/"), Path("/"), Path("/"))
    command = probe.isolation() + ["ip", "link", "set", "lo", "up"]
    return subprocess.run(command, capture_output=True).returncode == 0
