"""Runs the commands of a page in one shell, in a copy of the repository and a network of its own."""

import contextlib
import os
import select
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

# Limits that only end a page that has failed. A debug build on a busy machine is slow.
PAGE_SECONDS = 600
# The time in which programs may print what the page shows, before the next command or the end.
OUTPUT_SECONDS = 60

DRIVER = """\
set -o pipefail
servers=()
# Says that step $1 can begin, and waits for leave: the output that the page shows before must be there.
begin() { echo "$1" >&{said}; read -r <&{heard}; }
# Waits for the session with the id $1, which the command in the background with the id $2 starts.
session() {
  while kill -0 "$2" 2>/dev/null && ! anechoic sessions show "$1" >/dev/null 2>&1; do sleep 0.2; done
}
# Waits until the server with the process id $2, whose output is in $1, listens or has ended.
listening() { while kill -0 "$2" 2>/dev/null && ! grep --quiet 'metrics on' "$1"; do sleep 0.1; done; }
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

    def run(self, is_shown) -> float:
        """Runs the steps. Waits before a step, and at the end (None), until `is_shown(step, False)`, or for
        OUTPUT_SECONDS. Then calls `is_shown(step, True)`. Returns the processor time in seconds."""
        self.log.mkdir(parents=True)
        (self.log / "home").mkdir()
        with contextlib.ExitStack() as stack:
            def pipe():
                return [stack.enter_context(os.fdopen(each, mode, 0))
                        for each, mode in zip(os.pipe(), ("rb", "wb"))]
            (said, speaks), (hears, leave) = pipe(), pipe()
            script = self.log / "driver"
            script.write_text(self.script(speaks.fileno(), hears.fileno()))
            process = subprocess.Popen(
                self.isolation() + ["bash", str(script)], cwd=self.folder, env=self.environment(),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=stack.enter_context((self.log / "errors").open("w")), start_new_session=True,
                pass_fds=(speaks.fileno(), hears.fileno()))
            speaks.close()
            hears.close()
            end = time.monotonic() + PAGE_SECONDS
            for step in [*self.steps, None]:
                if not self.line(said, end):
                    break
                self.wait(is_shown, step)
                with contextlib.suppress(BrokenPipeError):
                    leave.write(b"\n")
            # The driver closes its end, or the page has failed.
            self.line(said, time.monotonic() + 10)
        return self.end(process)

    @staticmethod
    def line(said, end: float) -> bytes:
        """Reads what the driver says. Nothing at the end of the driver, or of the time."""
        ready, _, _ = select.select([said], [], [], max(end - time.monotonic(), 0))
        return said.readline() if ready else b""

    def wait(self, is_shown, step: Step | None) -> None:
        end = time.monotonic() + OUTPUT_SECONDS
        self.read()
        while not is_shown(step, False) and time.monotonic() < end:
            time.sleep(0.1)
            self.read()
        is_shown(step, True)

    def end(self, process) -> float:
        """Ends all processes of the page, and returns their processor time in seconds."""
        for _ in range(100):
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.05)
        else:
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.read()
        return usage.ru_utime + usage.ru_stime

    def read(self) -> None:
        for number, step in enumerate(self.steps):
            output, status = self.log / f"{number}.out", self.log / f"{number}.status"
            step.output = output.read_text(errors="replace") if output.exists() else ""
            step.status = int(status.read_text() or -1) if status.exists() else None

    def script(self, said: int, heard: int) -> str:
        lines = [DRIVER.replace("{said}", str(said)).replace("{heard}", str(heard))]
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
            kept = f"> {shlex.quote(place + '.out')} 2>&1 < /dev/null {said}>&- {heard}<&-"
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
                    lines.append(f"servers+=($!); listening {shlex.quote(place + '.out')} $!")
            else:
                lines.append(f"{run} {kept}; {status}")
            words = shlex.split(step.text, comments=True) if "--session-id" in step.text else []
            if "--loop" in words:
                lines.append(f"session {shlex.quote(words[words.index('--session-id') + 1])} $!")
        lines.append(f"begin {len(self.steps)}")
        return "\n".join(lines) + "\n"

    def isolation(self) -> list[str]:
        if not self.is_isolated:
            return []
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        return ["unshare", *user, "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]

    def environment(self) -> dict[str, str]:
        # The C library of scripts/build native, as if its packages were installed.
        library = ROOT / ".build-native/quick"
        (self.log / "libanechoic.pc").write_text(
            "Name: libanechoic\nDescription: Anechoic\nVersion: 0\n"
            f"Cflags: -I{ROOT}/clients/native/include\n"
            f"Libs: -L{library} -lanechoic -Wl,-rpath,{library}\n")
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith(("ANECHOIC_", "XDG_"))}
        # GRPC_VERBOSITY: libgrpc logs each lost connection.
        return inherited | {
            "PATH": f"{self.programs}:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin",
            "HOME": str(self.log / "home"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PKG_CONFIG_PATH": str(self.log),
            "GRPC_VERBOSITY": "NONE",
        }


def can_isolate() -> bool:
    """Whether this user may create network namespaces."""
    probe = PageShell(Path("/"), Path("/"), Path("/"), Path("/"))
    command = probe.isolation() + ["ip", "link", "set", "lo", "up"]
    return subprocess.run(command, capture_output=True).returncode == 0
