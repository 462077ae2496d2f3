// A level as a bar.
import { element, number, show } from "./elements.js";

/** The level in dBFS at the left end of a bar. */
export const quietest = -72;
/** The time in milliseconds between two changes of the number beside a bar. */
const readable = 500;

/** A bar for a level, with a mark for the recent peak and one for the noise floor. */
export class Meter {
  constructor(name) {
    this.fill = element("span", { className: "fill" });
    this.peak = element("span", { className: "mark peak" });
    this.floor = element("span", { className: "mark floor", title: "noise floor", hidden: true });
    this.value = element("b", {}, "–");
    this.bar = element("div", {
      className: "meter", role: "meter", "aria-label": name, "aria-valuemin": quietest,
      "aria-valuemax": 0, "aria-valuenow": quietest }, this.fill, this.floor, this.peak);
    this.node = element("div", { className: "level" }, element("span", {}, name), this.value, this.bar);
    this.highest = quietest;
    this.places = new Map();
  }

  /** Shows a level in dBFS, and a noise floor unless it is undefined. */
  show(level, floor) {
    // The mark stays at the peak and then falls by 12 dB in a second.
    const now = performance.now();
    const fallen = this.highest - (12 * (now - (this.time ?? now))) / 1000;
    this.time = now;
    this.highest = Math.max(level, fallen);
    this.place(this.fill, "clip-path", level, (share) => `inset(0 ${100 - share}% 0 0)`);
    this.place(this.peak, "transform", this.highest, (share) => `translateX(${share}%)`);
    this.floor.hidden = floor === undefined || floor <= quietest;
    if (!this.floor.hidden) this.place(this.floor, "transform", floor, (share) => `translateX(${share}%)`);
    if (now - (this.shown ?? -readable) < readable) return;
    this.shown = now;
    show(this.value, level <= quietest ? `< ${number(quietest)} dBFS` : number(level, 0, "dBFS"));
    this.bar.setAttribute("aria-valuenow", Math.round(Math.max(quietest, Math.min(0, level))));
  }

  /** Shows that nothing is measured. */
  clear(text) {
    this.highest = quietest;
    this.shown = undefined;
    this.place(this.fill, "clip-path", quietest, (share) => `inset(0 ${100 - share}% 0 0)`);
    this.place(this.peak, "transform", quietest, (share) => `translateX(${share}%)`);
    this.floor.hidden = true;
    show(this.value, text);
    this.bar.setAttribute("aria-valuenow", quietest);
  }

  /** Moves a part to a level in whole percents. A part that stays where it is costs the browser nothing. */
  place(part, property, level, value) {
    const share = Math.round(100 * Math.min(1, Math.max(0, 1 - level / quietest)));
    if (this.places.get(part) === share) return;
    this.places.set(part, share);
    part.style.setProperty(property, value(share));
  }
}
