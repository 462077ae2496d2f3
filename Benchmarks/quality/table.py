"""Prints figures as the rows of a table."""
import statistics


def number(value, digits=1):
    """The value as text. A dash if there is none."""
    return "–" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def worst_and_median(values, worst=max, digits=1):
    """The worst and the median of some values as text: `worst; median`."""
    kept = [value for value in values if value is not None]
    return f"{number(worst(kept), digits)}; {number(statistics.median(kept), digits)}" if kept else "–"


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def head(columns):
    row(columns)
    print("|" + "---|" * len(columns), flush=True)


def times(what, values):
    """Prints how late voices were reported. None stands for a voice that was not."""
    found = sorted(value for value in values if value is not None)
    shown = (statistics.median(found), found[-1 - len(found) // 10], found[-1]) if found else (None,) * 3
    head((what, "time until a voice is reported, s: median; worst tenth; worst", "not within 3 s"))
    row((f"{len(values)} sessions", "; ".join(number(value, 2) for value in shown), len(values) - len(found)))
