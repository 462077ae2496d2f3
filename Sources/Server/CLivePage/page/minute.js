// The graphs of the last minute of a session.
import { element } from "./elements.js";
import { History, LaneGraph, LineGraph } from "./graphs.js";
import { reductionOf } from "./measurements.js";
import { quietest } from "./meter.js";

const levelLines = [
  { key: "floor", colour: "--faint", name: "noise floor", isDashed: true },
  { key: "reference", colour: "--reference", name: "reference" },
  { key: "microphone", colour: "--microphone", name: "microphone" },
  { key: "processed", colour: "--voice", name: "processed voice" },
];
const near = { key: "near", short: "near", colour: "--voice", name: "the near end talks" };
const far = { key: "far", short: "far", colour: "--reference", name: "the far end talks" };
const reference = {
  key: "plays", short: "ref.", colour: "--reference", name: "the reference plays" };
const mute = { key: "muted", short: "mute", colour: "--danger", name: "muted" };

export class LastMinute {
  constructor() {
    this.history = new History();
    const canvas = (className) => element("canvas", { className, role: "img" });
    const [levels, echo, voices] = [canvas("tall"), canvas("tall"), canvas("lanes")];
    this.voices = new LaneGraph(voices, [near, mute]);
    this.graphs = [
      new LineGraph(levels, { low: quietest, high: 0, step: 24, unit: "dBFS", lines: levelLines }),
      new LineGraph(echo, { low: 0, high: 60, step: 15, unit: "dB", lines: [
        { key: "reduction", colour: "--voice", name: "echo reduction", isFilled: true }] }),
      this.voices,
    ];
    const legend = element("p", { className: "legend" }, ...levelLines.map(({ key, name }) =>
      element("span", { className: `line-${key}` }, name)).reverse());
    this.node = element("div", { className: "graphs" },
      element("figure", {}, element("figcaption", {}, "Levels, dBFS", legend), levels),
      element("figure", {}, element("figcaption", {}, "Echo reduction while something plays, dB"), echo),
      element("figure", {}, element("figcaption", {}, "Voices"), voices));
  }

  /** Chooses the lanes that a session has. */
  choose({ config = {}, echoReference }) {
    const hasFar = config.voiceActivityDetection?.farEndEnabled;
    const hasReference = echoReference !== "ECHO_REFERENCE_NONE";
    this.voices.lanes = [near, ...(hasFar ? [far] : []), ...(hasReference ? [reference] : []), mute];
  }

  /** Adds statistics, or a time in which nothing was measured. */
  add(stats, session) {
    const time = performance.now() / 1000;
    if (!stats) return this.history.add({ time });
    const { levels = {}, echo = {} } = stats;
    this.history.add({
      time, microphone: levels.microphoneRmsDbfs, processed: levels.processedRmsDbfs,
      reference: levels.referenceRmsDbfs, floor: levels.noiseFloorDbfs,
      reduction: reductionOf(stats), plays: echo.referenceActive, near: session?.voiceActive,
      far: session?.farEndVoiceActive, muted: session?.mute?.muted,
    });
  }

  draw() {
    const now = performance.now() / 1000;
    for (const graph of this.graphs) graph.draw(this.history.points, now);
  }
}
