"""Curves on two logarithmic axes, as an SVG file: small enough not to need a plotting library."""

import math
from collections.abc import Sequence
from html import escape

Curve = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 760, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 170, 20, 50
_LEAST_TICKS = 3
_COLOURS = (
    *("#1b6ca8", "#d1495b", "#2e8b57", "#8d5a97", "#edae49"),
    *("#444444", "#00a6a6", "#a0522d", "#7a9e00", "#d36ba6"),
)


class _Axis:
    """Values to pixels, and the round values to label."""

    def __init__(self, values: Sequence[float], begin: float, end: float) -> None:
        self.low, self.high = min(values) / 1.15, max(values) * 1.15
        self._begin, self._end = begin, end

    def at(self, value: float) -> float:
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self._begin + share * (self._end - self._begin)

    def ticks(self) -> list[float]:
        """Few round values; narrow ranges have less round ones."""
        for digits in ((1, 2, 5), range(1, 10), [tenths / 10 for tenths in range(10, 100)]):
            values = [digit * 10.0**exponent for exponent in range(-4, 9) for digit in digits]
            found = [value for value in values if self.low <= value <= self.high]
            if len(found) >= _LEAST_TICKS:
                break
        return found


def plot(curves: dict[str, Curve], x_label: str, y_label: str) -> str:
    """Draw each curve with its name at its end."""
    points = [point for curve in curves.values() for point in curve]
    x = _Axis([point[0] for point in points], _LEFT, _WIDTH - _RIGHT)
    y = _Axis([point[1] for point in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        *(_grid(x.at(value), f"{value:g}", vertical=True) for value in x.ticks()),
        *(_grid(y.at(value), f"{value:g}", vertical=False) for value in y.ticks()),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, x_label, "middle"),
        _text(_LEFT - 60, _TOP - 6, y_label, "start"),
    ]
    labels = _spread({name: y.at(curve[-1][1]) for name, curve in curves.items()})
    for index, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[index % len(_COLOURS)]
        places = [(x.at(a), y.at(b)) for a, b in curve]
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in places]
        end, level = _WIDTH - _RIGHT + 12, labels[name]
        parts.append(
            f'<line x1="{places[-1][0] + 4:.1f}" y1="{places[-1][1]:.1f}" x2="{end - 3}" '
            f'y2="{level:.1f}" stroke="{colour}" stroke-dasharray="1 3"/>'
        )
        parts.append(_text(end, level + 4, name, "start", colour))
    return "\n".join([*parts, "</svg>\n"])


def _grid(at: float, label: str, vertical: bool) -> str:
    if vertical:
        ends = f'x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"'
        text = _text(at, _HEIGHT - _BOTTOM + 16, label, "middle")
    else:
        ends = f'x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"'
        text = _text(_LEFT - 6, at + 4, label, "end")
    return f'<line {ends} stroke="#dddddd"/>{text}'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#333333") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}"'
    return f'<text {place} text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'


def _spread(levels: dict[str, float], least: float = 15) -> dict[str, float]:
    """Move labels apart that would overlap: down, and up again from the end of the picture."""
    names = sorted(levels, key=levels.__getitem__)
    spread: dict[str, float] = {}
    last = -math.inf
    for name in names:
        last = spread[name] = max(levels[name], last + least)
    last = _HEIGHT - _BOTTOM + least
    for name in reversed(names):
        last = spread[name] = min(spread[name], last - least)
    return spread
