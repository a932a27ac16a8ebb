# SPDX-License-Identifier: GPL-2.0-only
"""Two kinds of plots as SVG text: lines over worker counts, and grouped bars."""

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#aa3377"]
WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 40, 40


def nice_top(value):
    """The next of 1, 2, 5 times a power of ten at or above value."""
    step = 1e-6
    while True:
        for factor in (1, 2, 5):
            if step * factor >= value:
                return step * factor
        step *= 10


def text(x, y, content, anchor="middle", size=12):
    content = str(content).replace("&", "&amp;").replace("<", "&lt;")
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
            f'font-size="{size}">{content}</text>')


class Plot:
    def __init__(self, title, unit, top):
        self.top = nice_top(top) if top > 0 else 1
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
            f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
            text(WIDTH / 2, 22, title, size=15),
            text(LEFT - 8, TOP - 8, unit, "end", 11),
        ]
        for i in range(6):
            value = self.top * i / 5
            y = self.y(value)
            self.parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                              f'stroke="#dddddd"/>')
            self.parts.append(text(LEFT - 8, y + 4, f"{value:g}", "end", 11))

    def y(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.top

    def legend(self, i, name):
        y = TOP + 14 + 20 * i
        x = WIDTH - RIGHT + 14
        self.parts.append(f'<rect x="{x}" y="{y - 9}" width="12" height="10" '
                          f'fill="{COLOURS[i]}"/>')
        self.parts.append(text(x + 18, y, name, "start"))

    def done(self):
        return "\n".join(self.parts + ["</svg>", ""])


def lines(title, unit, labels, series):
    """series: [(name, [value or None for each label])]"""
    known = [v for _, values in series for v in values if v is not None]
    plot = Plot(title, unit, max(known, default=0))
    step = (WIDTH - LEFT - RIGHT) / max(1, len(labels) - 1)
    for i, label in enumerate(labels):
        plot.parts.append(text(LEFT + step * i, HEIGHT - BOTTOM + 18, label))
    for i, (name, values) in enumerate(series):
        points = [(LEFT + step * k, plot.y(v)) for k, v in enumerate(values) if v is not None]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        plot.parts.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[i]}" '
                          f'stroke-width="2"/>')
        plot.parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{COLOURS[i]}"/>'
                       for x, y in points]
        plot.legend(i, name)
    return plot.done()


def bars(title, unit, labels, series):
    known = [v for _, values in series for v in values if v is not None]
    plot = Plot(title, unit, max(known, default=0))
    group = (WIDTH - LEFT - RIGHT) / len(labels)
    wide = group * 0.8 / len(series)
    for k, label in enumerate(labels):
        plot.parts.append(text(LEFT + group * (k + 0.5), HEIGHT - BOTTOM + 18, label, size=11))
    for i, (name, values) in enumerate(series):
        for k, v in enumerate(values):
            if v is None:
                continue
            x = LEFT + group * (k + 0.1) + wide * i
            plot.parts.append(f'<rect x="{x:.1f}" y="{plot.y(v):.1f}" width="{wide * 0.9:.1f}" '
                              f'height="{plot.y(0) - plot.y(v):.1f}" fill="{COLOURS[i]}"/>')
        plot.legend(i, name)
    return plot.done()
