"""The programs of the tests: a server and a bridge, which end with the test."""

import asyncio
import os


class Program:
    """A program that listens, and its log."""

    def __init__(self, variable: str, *arguments: str) -> None:
        self.command = [os.environ[variable], *arguments]
        self.lines: list[str] = []

    async def __aenter__(self) -> "Program":
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE)
        self.reader = asyncio.create_task(self._read())
        line = await self.line("listening on ")
        self.port = int(line.split("listening on ")[1].split()[0].rsplit(":", 1)[1].strip("\"',"))
        return self

    async def __aexit__(self, *_) -> None:
        if self.process.returncode is None:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), 15)
            except TimeoutError:
                self.process.kill()
        await self.reader

    async def _read(self) -> None:
        while line := await self.process.stderr.readline():
            self.lines.append(line.decode(errors="replace").rstrip())

    async def line(self, text: str, seconds: float = 30) -> str:
        """Returns the first line of the log that contains a text."""
        async with asyncio.timeout(seconds):
            while True:
                for line in self.lines:
                    if text in line:
                        return line
                if self.process.returncode is not None:
                    raise AssertionError(f"it ended: {self.lines}")
                await asyncio.sleep(0.02)


def server() -> Program:
    return Program("ANECHOIC_SERVER", "--listen", "127.0.0.1:0", "--drain-time", "1s", "--admin-listen", "off",
                   "--http-listen", "off")
