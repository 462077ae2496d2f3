// Graphs of the last minute, on canvases.
import { number } from "./elements.js";

const span = 60;
/** The most points that are kept: a minute at five in a second, and some more. */
const most = 350;
/** The seconds for which a point counts. */
const duration = 0.2;
/** The seconds between two points after which nothing was measured in between. */
const longestGap = 1;

/** The measurements of the last minute. */
export class History {
  constructor() {
    this.points = [];
  }

  add(point) {
    this.points.push(point);
    const oldest = point.time - span - 1;
    while (this.points.length > most || this.points[0].time < oldest) this.points.shift();
  }
}

/**
 * A graph with lines. `lines` have a key of the points, a colour of the style, and a name. Where a point
 * has no value, and where there is no point, nothing is drawn.
 */
export class LineGraph {
  constructor(canvas, { lines, low, high, step, unit }) {
    Object.assign(this, { canvas, lines, low, high, step, unit });
  }

  draw(points, now) {
    const pen = new Pen(this.canvas);
    const y = (value) => pen.bottom - ((clamp(value, this.low, this.high) - this.low) /
      (this.high - this.low)) * (pen.bottom - pen.top);
    for (let value = this.low; value <= this.high; value += this.step) {
      pen.rule(y(value), number(value));
    }
    pen.times();
    for (const line of this.lines) {
      for (const run of runsOf(points, (point) => known(point[line.key]))) {
        pen.line(run.map((p) => [pen.x(p.time, now), y(p[line.key])]), line, y(this.low));
      }
    }
    const last = points[points.length - 1] ?? {};
    // The lines that are drawn last, on top of the others, are the most important ones.
    const values = this.lines.map((l) => `${l.name} ${number(last[l.key], 0, this.unit)}`).reverse();
    this.canvas.setAttribute("aria-label", `The last minute. Now: ${values.join(", ")}`);
  }
}

/** Lanes that are filled while something is the case. */
export class LaneGraph {
  constructor(canvas, lanes) {
    Object.assign(this, { canvas, lanes });
  }

  draw(points, now) {
    const pen = new Pen(this.canvas);
    const height = (pen.bottom - pen.top) / this.lanes.length;
    this.lanes.forEach((lane, index) => {
      const top = pen.top + index * height + 3;
      pen.label(lane.short, top + height / 2 - 3);
      pen.box(pen.left, top, pen.right - pen.left, height - 6, "--track");
      for (const run of runsOf(points, (point) => point[lane.key])) {
        const [x, end] = [pen.x(run[0].time, now), pen.x(run[run.length - 1].time + duration, now)];
        pen.box(x, top, Math.max(1, end - x), height - 6, lane.colour);
      }
    });
    pen.times();
    const last = points[points.length - 1] ?? {};
    const active = this.lanes.filter((lane) => last[lane.key]).map((lane) => lane.name);
    this.canvas.setAttribute("aria-label", `The last minute. Now: ${active.join(", ") || "quiet"}`);
  }
}

/** Returns the runs of points without a gap between them of which something is true. */
export function runsOf(points, isTrue) {
  const runs = [];
  let before = null;
  for (const point of points) {
    const follows = before && point.time - before.time <= longestGap;
    before = isTrue(point) ? point : null;
    if (before && follows) runs[runs.length - 1].push(point);
    else if (before) runs.push([point]);
  }
  return runs;
}

/** A canvas in CSS pixels, with a margin for the scale on the left and for the times below. */
class Pen {
  constructor(canvas) {
    const scale = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    this.style = getComputedStyle(canvas);
    this.context = canvas.getContext("2d");
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, width, height);
    this.context.font = `11px ${this.style.fontFamily}`;
    this.context.textBaseline = "middle";
    Object.assign(this, { left: 34, right: width - 4, top: 8, bottom: height - 20 });
  }

  colour(name) {
    return this.style.getPropertyValue(name).trim();
  }

  x(time, now) {
    const position = 1 - (now - time) / span;
    return this.left + clamp(position, 0, 1) * (this.right - this.left);
  }

  rule(y, text) {
    this.box(this.left, Math.round(y), this.right - this.left, 1, "--grid");
    this.label(text, y);
  }

  label(text, y) {
    this.context.fillStyle = this.colour("--faint");
    this.context.textAlign = "right";
    this.context.fillText(text, this.left - 6, y);
  }

  times() {
    this.context.fillStyle = this.colour("--faint");
    for (const [part, text, align] of [
      [0, "1 min ago", "left"], [0.5, "30 s", "center"], [1, "now", "right"],
    ]) {
      this.context.textAlign = align;
      this.context.fillText(text, this.left + part * (this.right - this.left), this.bottom + 12);
    }
  }

  box(x, y, width, height, colour) {
    this.context.fillStyle = this.colour(colour);
    this.context.fillRect(x, y, width, height);
  }

  /** Draws a line through places, dashed or filled down to a base if it says so. */
  line(places, { colour, isDashed, isFilled }, base) {
    const path = new Path2D();
    places.forEach(([x, y], index) => (index ? path.lineTo(x, y) : path.moveTo(x, y)));
    // A point without neighbours is a dot.
    if (places.length === 1) path.lineTo(places[0][0] + 1, places[0][1]);
    this.context.strokeStyle = this.context.fillStyle = this.colour(colour);
    this.context.lineWidth = isDashed ? 1 : 1.75;
    this.context.lineJoin = "round";
    this.context.setLineDash(isDashed ? [4, 3] : []);
    this.context.stroke(path);
    if (!isFilled || places.length < 2) return;
    path.lineTo(places[places.length - 1][0], base);
    path.lineTo(places[0][0], base);
    this.context.globalAlpha = 0.16;
    this.context.fill(path);
    this.context.globalAlpha = 1;
  }
}

function known(value) {
  return value !== undefined && Number.isFinite(value);
}

function clamp(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
