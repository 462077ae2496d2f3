"""Runs the commands of the documentation and checks its links. docs/testing.md explains the rules."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import commands
import commits
import links
import outputs
import pages
import reasons
from not_run import Table
from options import Options
from shell import PageShell, Step, can_isolate

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from lib.usage import Arguments  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent

RUN = ["README.md", "docs/**/*.md", "examples/*/README.md", "clients/*/README.md"]
ONLY_LINKS = ["CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/**/*.md", "training/*.md"]

CALL = (
    "anechoic process --server 127.0.0.1:50051 --pacing real-time --loop --session-id call-1 "
    "--client kiosk --label room=lobby --grant-injection always "
    "--microphone sample/microphone.wav --far-end sample/reference.wav "
    "--playback sample/output/call-playback.wav --output sample/output/call-voice.wav")
# Most of the time, pages wait for audio in real time.
PAGES_AT_A_TIME = 8
# Commands that send the sample, which has 20 s, in real time and wait for its end.
IN_REAL_TIME = ("anechoic inject", "examples/features/resume.sh", "./clean", "PYTHONPATH=")
# A command that asks a server.
ASKS = ("anechoic sessions", "anechoic inject", "anechoic capabilities", "anechoic health", "curl ")


class PageTest:
    """A page, its commands, and what is wrong with them."""

    def __init__(self, path: Path, table: Table):
        self.path = path
        self.page = pages.read(path)
        self.name = str(path.relative_to(ROOT))
        self.problems: list[str] = []
        self.given_up: set[int] = set()
        self.shown: list[pages.Block] = []
        self.steps: list[Step] = []
        self.not_run: list[tuple[Step, str]] = []
        for block in self.page.blocks:
            self.add(block, table)
        need = table.needs.get(self.name)
        if not need:
            self.defer_first()
        if need and self.steps:
            before = [Step(0, "anechoic-server", is_endless=True, is_hidden=True),
                      Step(0, "anechoic health --wait 30s", is_hidden=True)]
            if need == "agent":
                before += [Step(0, "anechoic-edge run --input null --output null", is_endless=True,
                                is_hidden=True)]
            if need == "call":
                before += [Step(0, CALL, is_endless=True, is_hidden=True)]
            self.steps = before + self.steps

    @property
    def expected_seconds(self) -> int:
        """About how long the page takes on a machine that does nothing else."""
        return sum(20 if step.text.startswith(IN_REAL_TIME) else 1 for step in self.steps)

    def add(self, block: pages.Block, table: Table) -> None:
        if block.language == "python" and block.text.startswith("import "):
            program = f"PYTHONPATH=clients/python/src python3 - <<'PROGRAM'\n{block.text}PROGRAM"
            return self.steps.append(Step(block.line, program))
        if block.language not in pages.COMMAND_FENCES:
            return
        inner = commands.split(block.text)
        known = block.language or commands.is_commands(block.text, ROOT)
        if not known and not (inner and table.entry(inner[0])):
            return self.shown.append(block)
        for command in inner:
            command = table.replaced(command)
            step = Step(block.line, command, commands.is_endless(command))
            if entry := table.entry(command):
                self.not_run.append((step, entry.reason))
            else:
                self.steps.append(step)

    def defer_first(self) -> None:
        """Moves the first command, which a page shows before all else, behind the server that it asks."""
        if not self.steps or not self.steps[0].text.startswith(ASKS):
            return
        first = [step for step in self.steps if step.line == self.steps[0].line]
        rest = self.steps[len(first):]
        line = next((s.line for s in rest if s.text.startswith("anechoic-server")), None)
        if line is not None:
            before = [step for step in rest if step.line <= line]
            self.steps = before + first + rest[len(before):]

    def has_shown(self, step: Step | None, is_last_look: bool) -> bool:
        """Whether the output that the page shows before a step is there. Output that is missing at the last
        look is not waited for again."""
        missing = {block.line for block, _ in self.missing(step)} - self.given_up
        if is_last_look:
            self.given_up |= missing
        return not missing

    def missing(self, before: Step | None = None) -> list[tuple[pages.Block, list[str]]]:
        """The lines that the page shows, before a step or anywhere, and that were not printed."""
        real = [step.output for step in self.steps]
        found = [(block, outputs.missing(block.text, real)) for block in self.shown
                 if not before or block.line < before.line]
        return [(block, lines) for block, lines in found if lines]

    def run(self, shell: PageShell) -> float:
        """Runs the commands, and returns their processor time in seconds."""
        shell.steps = self.steps
        processor = shell.run(self.has_shown) if self.steps else 0
        shown = "\n".join(block.text for block in self.shown)
        for step in self.steps:
            if step.is_endless and step.status is None:
                continue
            if step.status is None:
                self.problem(step.line, f"did not end: {step.text}\n{step.output[-600:]}")
                break
            if step.status != 0 and not self.is_announced(step, shown):
                self.problem(
                    step.line, f"exit code {step.status}: {step.text}\n{step.output[-600:]}")
        for block, lines in self.missing():
            self.problem(block.line, "neither a command nor printed by one:\n" + "\n".join(lines))
        return processor

    @staticmethod
    def is_announced(step: Step, shown: str) -> bool:
        """Whether the page shows the last line of a command that fails."""
        lines = [line for line in step.output.split("\n") if line.strip()]
        return bool(lines) and any(
            not outputs.missing(line, [lines[-1]]) for line in shown.split("\n") if line.strip(" …."))

    def problem(self, line: int, text: str) -> None:
        self.problems.append(f"{self.name}:{line}: {text}")

    def check_leftovers(self, before: Path, after: Path) -> None:
        """Notes files of the page that a clone would show as untracked."""
        names = files(after) - files(before)
        ignored = subprocess.run(
            ["git", "-c", "safe.directory=*", "check-ignore", "--no-index", "--stdin", "-z"],
            cwd=ROOT, input="\0".join(names), capture_output=True, text=True, check=False).stdout
        for name in sorted(names - {*ignored.split("\0")}):
            self.problem(1, f"leaves {name}, which .gitignore lacks")

    def check_text(self, options: Options) -> None:
        self.problems += links.problems(self.page, ROOT)
        texts = [(block.line, block.text) for block in self.page.blocks
                 if block.language in pages.COMMAND_FENCES]
        for line, text in texts + self.page.inline:
            if commands.is_output(text) or text.startswith(("anechoic:", "anechoic-server:")):
                continue
            for problem in options.problems(text):
                self.problem(line, problem)


def files(folder: Path) -> set[str]:
    """Returns the regular files in a folder, without what lies behind links."""
    return {str((Path(top) / name).relative_to(folder)) for top, _, names in os.walk(folder) for name in names
            if (Path(top) / name).is_file()}


def found(patterns: list[str]) -> list[Path]:
    found = {path for pattern in patterns for path in ROOT.glob(pattern)}
    # A build has the pages of others.
    return sorted(path for path in found if ".build" not in path.relative_to(ROOT).parts)


def copy_repository(folder: Path, programs: Path) -> None:
    """Copies the files of the repository and the sample, with the programs as its release build."""
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    names += [f"sample/{path.name}" for path in (ROOT / "sample").glob("*.*")]
    for name in dict.fromkeys(names):
        if name and (ROOT / name).is_file() and not name.startswith(("Sources/", "Benchmarks/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    (folder / "sample/output").mkdir(parents=True, exist_ok=True)
    (folder / ".build").mkdir()
    (folder / ".build/release").symlink_to(programs)
    subprocess.run(["examples/features/make-extras"], cwd=folder, check=True)


def link_programs(programs: Path, folder: Path) -> Path:
    """Links the project's programs into a folder. A build folder also has other programs, such as
    another protoc than Debian's."""
    folder.mkdir()
    for path in programs.glob("anechoic*"):
        (folder / path.name).symlink_to(path)
    return folder


def main() -> int:
    parser = Arguments(prog="scripts/test docs", allow_abbrev=False)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("pages", nargs="*")
    arguments = parser.parse_args()
    start = time.monotonic()
    table = Table(HERE / "not-run.toml")
    options = Options(arguments.programs)
    tests = [PageTest(path, table) for path in found(RUN)]
    for page in arguments.pages:
        if page not in [test.name for test in tests]:
            parser.unusable(f"{page}: it is no page whose commands are run; name one as in docs/tutorial.md")
    chosen = [test for test in tests if not arguments.pages or test.name in arguments.pages]
    problems = [line for path in found(ONLY_LINKS) for line in links.problems(pages.read(path), ROOT)]
    if not arguments.pages:
        problems += table.problems(ROOT) + reasons.problems(ROOT) + commits.problems(ROOT)
    work = Path(tempfile.mkdtemp(prefix="anechoic-docs-", dir=ROOT / ".build"))
    programs = link_programs(arguments.programs.resolve(), work / "programs")
    is_isolated = can_isolate()
    if not is_isolated:
        print("test docs: no network namespaces here; the pages run one after another, on their ports")

    def run(test: PageTest, suffix: str = "") -> None:
        test.check_text(options)
        folder = work / (test.name.replace("/", "-").removesuffix(".md") + suffix)
        if test.steps:
            shutil.copytree(work / "repository", folder, symlinks=True, copy_function=os.link)
        begin = time.monotonic()
        processor = test.run(PageShell(
            ROOT, folder, programs, Path(f"{folder}.log"), is_isolated))
        if test.steps:
            test.check_leftovers(work / "repository", folder)
        seconds = time.monotonic() - begin
        visible = sum(not step.is_hidden for step in test.steps)
        if visible or test.problems:
            print(f"{'FAILED' if test.problems else 'ok':6} {seconds:5.1f} s, {processor:4.1f} s of processor"
                  f" time, {visible:2} commands  {test.name}", flush=True)

    try:
        copy_repository(work / "repository", programs)
        with ThreadPoolExecutor(PAGES_AT_A_TIME if is_isolated else 1) as pool:
            # Long pages begin first, so that none is left over at the end.
            list(pool.map(run, sorted(chosen, key=lambda test: -test.expected_seconds)))
        # Other pages may have taken the processor from a page that failed, so it is repeated alone.
        for index, test in enumerate(chosen):
            if test.problems:
                print("\n".join(["Failed beside others:", *test.problems]), flush=True)
                chosen[index] = PageTest(test.path, table)
                run(chosen[index], "-again")
    finally:
        if not arguments.keep:
            shutil.rmtree(work, ignore_errors=True)
    problems += [problem for test in chosen for problem in test.problems]
    report(chosen, time.monotonic() - start)
    for problem in problems:
        print(f"\n{problem}")
    return 1 if problems else 0


def report(tests: list[PageTest], seconds: float) -> None:
    reasons: dict[str, int] = {}
    for test in tests:
        for _, reason in test.not_run:
            reasons[reason] = reasons.get(reason, 0) + 1
    ran = sum(not step.is_hidden for test in tests for step in test.steps)
    print(f"\n{len(tests)} pages, {ran} commands run, {sum(reasons.values())} not run, {seconds:.0f} s")
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1]):
        print(f"{count:5} not run: {reason}")


if __name__ == "__main__":
    sys.exit(main())
