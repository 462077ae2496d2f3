// The measurements of a session in words: tiles with a heading, and tables.
import { element, milliseconds, number, show } from "./elements.js";

/** The headings of the tiles, with the value and a note for statistics and their session. */
const tiles = [
  ["Echo reduction", (s) => number(reductionOf(s), 1, "dB"), echoNote],
  ["Echo delay", (s) => milliseconds(s.echo?.delay), (s) => (s.echo?.delay ? "" : "not found")],
  ["Drift", (s) => number(s.timing?.driftPpm, 1, "ppm"), () => ""],
  ["Noise floor", (s) => number(s.levels?.noiseFloorDbfs, 0, "dBFS"), () => "of the microphone"],
  ["Voice", (s) => number((s.levels?.speechProbability ?? 0) * 100, 0, "%"), () => "probability"],
  ["Other audio", (s) => number(s.duckingGainDb ?? 0, 0, "dB"), () => "gain"],
];
const latencies = [
  ["Microphone behind real time", (s) => milliseconds(s.timing?.inputLag)],
  ["Jitter of the microphone", (s) => milliseconds(s.timing?.jitter, 1)],
  ["Processing of a frame, median", (s) => milliseconds(s.timing?.frameProcessingP50, 2)],
  ["Processing of a frame, 99 %", (s) => milliseconds(s.timing?.frameProcessingP99, 2)],
  ["Load of the session's thread", (s) => number(percent(s.timing?.threadLoad), 0, "%")],
  ["Output that waits", (s) => milliseconds(s.timing?.outputBacklog)],
  ["Buffer of the far end", (s) => milliseconds(s.farEnd?.delay)],
  ["Buffer of other audio", (s) => milliseconds(s.otherAudio?.delay)],
];
const losses = [
  ["Samples concealed", "samplesConcealed"], ["Reference missing, frames", "referenceFramesMissing"],
  ["Microphone late, samples", "microphoneSamplesLate"],
  ["Output dropped, chunks", "outputChunksDropped"], ["Output lost, samples", "outputSamplesLost"],
  ["Connections lost", "suspensions"],
];

/** Returns the echo reduction that a person hears, in dB. Undefined while nothing plays. */
export function reductionOf(stats) {
  return stats.echo?.referenceActive ? stats.echo.heardReductionDb : undefined;
}

function echoNote({ echo = {} }, session) {
  if (session?.echoReference === "ECHO_REFERENCE_NONE") return "no reference";
  if (!echo.referenceActive) return "nothing plays";
  if (echo.heardReductionDb === undefined) return "not measured yet";
  return echo.converged ? "converged" : "not converged";
}

function percent(share) {
  return share === undefined ? undefined : 100 * share;
}

/** The tiles, and the tables of latencies and losses. */
export class Measurements {
  constructor() {
    this.tiles = tiles.map(([name]) => {
      const [value, note] = [element("b", {}, "–"), element("small")];
      return { value, note, node: element("div", { className: "tile" },
        element("span", {}, name), value, note) };
    });
    this.node = element("div", { className: "tiles" }, ...this.tiles.map((tile) => tile.node));
    this.latency = table("Latency", latencies.map(([name]) => name));
    this.loss = table("Losses", losses.map(([name]) => name));
  }

  /** Shows statistics. While `isMeasured` is false, no audio comes, and only the losses are true. */
  show(stats, session, isMeasured) {
    tiles.forEach(([, value, note], index) => {
      show(this.tiles[index].value, isMeasured ? value(stats) : "–");
      show(this.tiles[index].note, isMeasured ? note(stats, session) : "");
    });
    this.latency.show(latencies.map(([, value]) => (isMeasured ? value(stats) : "–")));
    this.loss.show(losses.map(([, key]) => String(stats.flow?.[key] ?? 0)));
  }
}

/** A table of two columns, whose values change. */
export function table(name, labels) {
  const cells = labels.map(() => element("td", {}, "–"));
  const rows = labels.map((label, index) =>
    element("tr", {}, element("th", { scope: "row" }, label), cells[index]));
  return {
    node: element("table", { className: "facts", "aria-label": name }, element("tbody", {}, ...rows)),
    show: (values) => values.forEach((value, index) => show(cells[index], value)),
  };
}
