"""Pages in Markdown: their blocks of code, headings and links."""

import re
from dataclasses import dataclass
from pathlib import Path

# A fence of another language shows a file, a message or a drawing, and is never run.
COMMAND_FENCES = {"", "sh", "bash"}


@dataclass
class Block:
    """A block of code. `language` is that of its fence, and "" for an indented block."""

    line: int
    language: str
    text: str


@dataclass
class Page:
    path: Path
    blocks: list[Block]
    inline: list[tuple[int, str]]
    links: list[tuple[int, str]]
    anchors: set[str]


def read(path: Path) -> Page:
    page = Page(path, [], [], [], set())
    fence: Block | None = None
    indented: Block | None = None
    after_blank = True
    prose: list[tuple[int, str]] = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if fence:
            if line.strip() == "```":
                page.blocks.append(fence)
                fence = None
            else:
                fence.text += line + "\n"
            continue
        if match := re.match(r" {0,3}```(\w*)\s*$", line):
            fence, indented = Block(number + 1, match[1], ""), None
        elif line.startswith("    ") and (indented or after_blank):
            if not indented:
                indented = Block(number, "", "")
                page.blocks.append(indented)
            indented.text += line[4:] + "\n"
        elif not line.strip():
            if indented:
                indented.text += "\n"
        else:
            indented = None
            prose.append((number, line))
        after_blank = not line.strip()
    page.blocks = [block for whole in page.blocks for block in parts(whole)]
    read_prose(page, prose)
    return page


def parts(block: Block) -> list[Block]:
    """The parts of an indented block between empty lines: a command and its output are two parts. A part
    that is indented itself, or ends a construct of the shell, belongs to the part before it."""
    if block.language or "<<" in block.text:
        return [block]
    result: list[Block] = []
    number = block.line
    for text in re.split(r"(?<=\n)\n+", block.text):
        if text.strip():
            if result and re.match(r"[ \t]|done\b|fi\b|\}", text):
                result[-1].text += "\n" + text
            else:
                result.append(Block(number, "", text))
        number = block.line + block.text[: block.text.find(text) + len(text)].count("\n") + 1
    return result


def read_prose(page: Page, prose: list[tuple[int, str]]) -> None:
    slugs: dict[str, int] = {}
    joined = "\n".join(line for _, line in prose)
    numbers = [number for number, _ in prose]
    for number, line in prose:
        if match := re.match(r"#+ (.*)", line):
            slug = anchor(match[1])
            count = slugs.get(slug, 0)
            slugs[slug] = count + 1
            page.anchors.add(f"{slug}-{count}" if count else slug)
    for match in re.finditer(r"`([^`]+)`", joined):
        page.inline.append((numbers[joined[: match.start()].count("\n")], match[1]))
    without_code = re.sub(r"`[^`]*`", lambda match: "`" * len(match[0]), joined)
    for match in re.finditer(r"\]\(([^)\s]+)\)", without_code):
        page.links.append((numbers[without_code[: match.start()].count("\n")], match[1]))


def anchor(heading: str) -> str:
    """The anchor that GitHub makes of a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
