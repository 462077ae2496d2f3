// What the page shows of a running session: levels, state, measurements and events.
import { announce, element, milliseconds, number, show } from "./elements.js";
import { describe } from "./events.js";
import { levelOf } from "./clip.js";
import { Meter, quietest } from "./meter.js";

const mostEvents = 100;
const find = (id) => document.getElementById(id);

/** Measurements with a heading, and a function of the statistics. */
const tiles = [
  ["Echo removed", (s) => number(s.echo?.echoReturnLossEnhancementDb, 0, "dB")],
  ["Echo delay", (s) => milliseconds(s.echo?.delay)],
  ["Voice", (s) => number((s.levels?.speechProbability ?? 0) * 100, 0, "%")],
  ["A frame takes", (s) => milliseconds(s.timing?.frameProcessingP50, 2)],
];

export class View {
  constructor() {
    this.microphone = new Meter("Your microphone");
    this.processed = new Meter("After the server");
    find("meters").replaceChildren(this.microphone.node, this.processed.node);
    this.values = tiles.map(() => element("b", {}, "–"));
    find("tiles").replaceChildren(...tiles.map(([name], index) =>
      element("div", { className: "tile" }, element("span", {}, name), this.values[index])));
    this.begin(false);
  }

  /** Shows a session that begins. */
  begin(muted) {
    find("events").replaceChildren();
    this.isTalking = false;
    this.setMuted(muted);
  }

  heard(samples) {
    this.microphone.show(Math.max(quietest, levelOf(samples)));
  }

  processedSamples(samples) {
    this.processed.show(Math.max(quietest, levelOf(samples)));
  }

  measure(stats) {
    tiles.forEach(([, value], index) => show(this.values[index], value(stats)));
  }

  note(event) {
    const { kind, text, isImportant } = describe(event);
    const e = event[kind] ?? {};
    if (kind === "muteChanged") this.setMuted(e.state?.muted ?? false);
    if (kind === "mutedSpeechActivity") {
      const talks = e.activity === "SPEECH_ACTIVITY_STARTED";
      find("muted-talker").hidden = !talks || !this.isMuted;
    }
    if (kind === "voiceActivityChanged" && e.side !== "SIDE_FAR_END") this.isTalking = e.active ?? false;
    this.showState();
    const time = new Date(event.time).toLocaleTimeString();
    find("events").prepend(element("li", { className: isImportant ? "important" : "" },
      element("time", {}, time), element("span", {}, text)));
    while (find("events").children.length > mostEvents) find("events").lastChild.remove();
    if (isImportant) announce(text);
  }

  setMuted(muted) {
    this.isMuted = muted;
    find("mute").setAttribute("aria-pressed", String(muted));
    show(find("mute"), muted ? "Unmute" : "Mute");
    if (!muted) find("muted-talker").hidden = true;
    this.showState();
  }

  showState() {
    const [name, text] = this.isMuted ? ["muted", "muted"]
      : this.isTalking ? ["talks", "you talk"] : ["quiet", "quiet"];
    find("state").dataset.state = name;
    show(find("state"), text);
  }
}
