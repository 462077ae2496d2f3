"""A picture of the scripted day: each step, and how long after it each effect came."""

from __future__ import annotations

from html import escape

WIDTH, ROW, LEFT, SCALE = 900, 22, 420, 1.2  # pixels; pixels for a millisecond
LIMIT = 300  # ms, the time in which an effect must come


def draw(effects: list[tuple[str, str, float, float]]) -> str:
    """Returns an SVG. An effect is its step, its name, the time of the step in s, and its time after the step in ms."""
    rows, last = [], None
    for step, effect, at, milliseconds in effects:
        if step != last:
            rows.append((f"{at:5.1f} s  {step}", None))
            last = step
        rows.append((effect, milliseconds))
    height = ROW * (len(rows) + 2)
    limit = LEFT + LIMIT * SCALE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        'font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        f'<line x1="{limit}" y1="{ROW}" x2="{limit}" y2="{height - ROW / 2}" stroke="#999" stroke-dasharray="4 3"/>',
        f'<text x="{limit + 4}" y="{ROW}" fill="#666">{LIMIT} ms</text>',
    ]
    for number, (text, milliseconds) in enumerate(rows):
        y = ROW * (number + 1.5)
        if milliseconds is None:
            parts.append(f'<text x="12" y="{y:.0f}" font-weight="bold">{escape(text)}</text>')
            continue
        width = min(milliseconds * SCALE, WIDTH - LEFT - 70)
        parts += [
            f'<text x="36" y="{y:.0f}">{escape(text)}</text>',
            f'<rect x="{LEFT}" y="{y - 11:.0f}" width="{width:.0f}" height="13" fill="#3a7ca5"/>',
            f'<text x="{LEFT + width + 6:.0f}" y="{y:.0f}" fill="#333">{milliseconds:.0f} ms</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"
