// Recording some seconds, and playing them as they were before and after the server.
import { announce, number, show } from "./elements.js";
import { Clip, drawWave } from "./clip.js";

const seconds = 8;
const sides = ["before", "after"];
const colours = { before: "--microphone", after: "--voice" };
const find = (id) => document.getElementById(id);

export class Comparison {
  #clip;
  #playing;
  #side;
  #drawing;
  #removed;

  /** `sound` returns the Sound, `recording` is called when a recording begins and ends. */
  constructor(sound, recording) {
    this.sound = sound;
    this.recording = recording;
    find("record").addEventListener("click", () => this.arm());
    for (const side of sides) {
      find(side).addEventListener("click", () => (this.#side === side ? this.stop() : this.#play(side)));
    }
    new ResizeObserver(() => this.#draw()).observe(find("before"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /**
   * Starts a recording at the next samples of the microphone. `advice` tells the person what to do, and `removed`
   * says what the server has changed, for a recording that is softer after it.
   */
  arm(advice = "Say something.", removed = "echo and noise are gone") {
    this.stop();
    this.#removed = removed;
    this.#clip = undefined;
    this.isArmed = true;
    find("record").disabled = true;
    for (const side of sides) {
      find(side).disabled = true;
      show(find(side).querySelector("b"), "");
    }
    find("progress").hidden = false;
    find("progress").value = 0;
    show(find("compare-hint"), `${advice} The next ${seconds} seconds are recorded.`);
    this.recording(true);
  }

  /** Keeps samples of a side, if they belong to the recording. */
  add(side, first, samples, rate, isMuted) {
    if (this.isArmed && side === "before") {
      this.#clip = new Clip(first, rate, seconds);
      this.isArmed = false;
    }
    if (!this.#clip || this.#clip.isComplete) return;
    this.#clip.add(side, first, samples, isMuted);
    find("progress").value = this.#clip.progress;
    this.#drawSoon();
    if (this.#clip.isComplete) this.#finish();
  }

  /** Forgets a recording that cannot be completed. */
  cancel() {
    this.stop();
    this.isArmed = false;
    if (this.#clip && !this.#clip.isComplete) this.#clip = undefined;
    find("record").disabled = false;
    find("progress").hidden = true;
    show(find("compare-hint"), "The recording was interrupted. Record again.");
    this.recording(false);
  }

  stop() {
    this.sound()?.stop(this.#playing);
    this.#ended();
  }

  #finish() {
    find("record").disabled = false;
    find("progress").hidden = true;
    const { hasMuted } = this.#clip;
    const lower = this.#clip.level("before") - this.#clip.level("after");
    for (const side of sides) {
      find(side).disabled = false;
      show(find(side).querySelector("b"), hasMuted ? "" : number(this.#clip.level(side), 0, "dBFS"));
    }
    const result = hasMuted ? "You were muted, so the two cannot be compared."
      : lower >= 1 ? `Listen to both. After is ${number(lower, 0, "dB")} lower: ${this.#removed}.` : "Listen to both.";
    show(find("compare-hint"), `Recorded. ${result}`);
    announce("The recording is complete.");
    this.recording(false);
    this.#play("after");
  }

  #play(side) {
    this.stop();
    if (!this.#clip?.isComplete) return;
    this.#side = side;
    this.#playing = this.sound()?.play(this.#clip[side], { ended: () => this.#ended() });
    find(side).setAttribute("aria-pressed", "true");
    this.#drawSoon();
  }

  #ended() {
    this.#playing = undefined;
    this.#side = undefined;
    for (const side of sides) find(side).setAttribute("aria-pressed", "false");
    this.#drawSoon();
  }

  #drawSoon() {
    this.#drawing ??= requestAnimationFrame(() => {
      this.#drawing = undefined;
      this.#draw();
      if (this.#playing) this.#drawSoon();
    });
  }

  #draw() {
    const style = getComputedStyle(document.documentElement);
    for (const side of sides) {
      const canvas = find(side).querySelector("canvas");
      const position = this.#side === side && this.#playing
        ? (this.sound().context.currentTime - this.#playing.began) / seconds : 0;
      drawWave(canvas, this.#clip?.[side] ?? new Int16Array(0), style.getPropertyValue(colours[side]), position);
    }
  }
}
