"""Links of the pages to files and headings of the repository."""

from pathlib import Path

from pages import Page, read


def problems(page: Page, root: Path) -> list[str]:
    found = []
    for number, target in page.links:
        if "://" in target or target.startswith("mailto:"):
            continue
        place, _, name = target.partition("#")
        path = (page.path.parent / place).resolve() if place else page.path
        where = f"{page.path.relative_to(root)}:{number}: the link {target}"
        if not path.exists():
            found.append(f"{where}: there is no such file")
        elif name and path.suffix == ".md" and name not in read(path).anchors:
            found.append(f"{where}: {path.relative_to(root)} has no such heading")
    return found
