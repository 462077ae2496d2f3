// A level as a bar.
import { element, number, show } from "./elements.js";

/** The level in dBFS at the left end of a bar. */
export const quietest = -72;

/** A bar for a level, with a mark for the recent peak and one for the noise floor. */
export class Meter {
  constructor(name) {
    this.fill = element("span", { className: "fill" });
    this.peak = element("span", { className: "mark peak" });
    this.floor = element("span", { className: "mark floor", title: "noise floor" });
    this.value = element("b", {}, "–");
    this.bar = element("div", {
      className: "meter", role: "meter", "aria-label": name, "aria-valuemin": quietest,
      "aria-valuemax": 0, "aria-valuenow": quietest }, this.fill, this.floor, this.peak);
    this.node = element("div", { className: "level" }, element("span", {}, name), this.value, this.bar);
    this.highest = quietest;
  }

  show(level, floor = quietest) {
    const part = (value) => Math.min(1, Math.max(0, 1 - value / quietest));
    // The mark stays at the peak and then falls by 12 dB in a second.
    const now = performance.now();
    const fallen = this.highest - (12 * (now - (this.time ?? now))) / 1000;
    this.time = now;
    this.highest = Math.max(level, fallen);
    this.fill.style.setProperty("clip-path", `inset(0 ${(1 - part(level)) * 100}% 0 0)`);
    this.peak.style.setProperty("left", `${part(this.highest) * 100}%`);
    this.floor.style.setProperty("left", `${part(floor) * 100}%`);
    this.floor.hidden = floor <= quietest;
    show(this.value, level <= quietest ? "silent" : number(level, 0, "dBFS"));
    this.bar.setAttribute("aria-valuenow", Math.round(Math.max(quietest, Math.min(0, level))));
  }
}
