// A recording of some seconds, before and after the server.

export class Clip {
  /** Records from the sample with the index `first`, for some seconds. */
  constructor(first, rate, seconds) {
    this.first = first;
    this.rate = rate;
    this.before = new Int16Array(Math.round(rate * seconds));
    this.after = new Int16Array(this.before.length);
    this.arrived = { before: 0, after: 0 };
    /** Whether the person was muted in some of it. */
    this.hasMuted = false;
  }

  /** Keeps samples of one of the two sides: `before` or `after`. */
  add(side, first, samples, isMuted = false) {
    const [start, target] = [first - this.first, this[side]];
    const from = Math.max(0, -start);
    const part = samples.subarray(from, Math.max(from, target.length - start));
    if (part.length > 0) {
      target.set(part, start + from);
      this.hasMuted ||= isMuted;
    }
    this.arrived[side] = Math.max(this.arrived[side], Math.min(target.length, start + samples.length));
  }

  /** The part that has been recorded, 0 to 1. */
  get progress() {
    return Math.min(this.arrived.before, this.arrived.after) / this.before.length;
  }

  get isComplete() {
    return this.progress >= 1;
  }

  /** Returns the level of a side in dBFS: the root of the mean square. */
  level(side) {
    return levelOf(this[side]);
  }
}

/** Returns the level of samples of 16 bits in dBFS. Silence is −120. */
export function levelOf(samples) {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(Math.max(1e-12, sum / Math.max(1, samples.length) / 32768 ** 2));
}

/** Draws samples as a waveform. `position` is the part that was played, 0 to 1. */
export function drawWave(canvas, samples, colour, position = 0) {
  const scale = devicePixelRatio;
  const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context.clearRect(0, 0, width, height);
  const bar = 3 * scale;
  const count = Math.floor(width / bar);
  for (let index = 0; index < count; index += 1) {
    const part = samples.subarray(index / count * samples.length, (index + 1) / count * samples.length);
    const peak = part.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0) / 32768;
    // The root shows quiet sounds.
    const length = Math.max(scale, Math.sqrt(peak) * height);
    context.globalAlpha = index / count < position || position === 0 ? 1 : 0.35;
    context.fillStyle = colour;
    context.fillRect(index * bar, (height - length) / 2, bar - scale, length);
  }
}
