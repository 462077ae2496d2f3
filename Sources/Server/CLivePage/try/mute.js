// The mute state of a session as its client knows it, without a connection.

const tooMany = "TOO_MANY_CONTROLS";

/**
 * The mute state, the request that is under way, and the samples that were captured while muted. Muted audio is silent
 * from the request on, whatever the server returns.
 */
export class MuteHistory {
  /** The ranges of indexes that were captured while muted. The last one may be open. */
  #ranges = [];
  #underWay;
  #lastId = 0;
  #isWanted = false;

  constructor(isMuted) {
    this.isMuted = false;
    if (isMuted) this.#apply(true, 0);
  }

  /** Notes a request of the person. `next` is the index of the next sample. */
  set(isMuted, next) {
    this.#apply(isMuted, next);
    this.#isWanted = true;
  }

  /** Notes a change on the server. One that crosses a request of the person counts for nothing. */
  changed(isMuted, next) {
    if (!this.#isWanted && !this.#underWay) this.#apply(isMuted, next);
  }

  /** Returns the request to send now, or nothing. */
  nextRequest() {
    if (!this.#isWanted || this.#underWay) return undefined;
    this.#isWanted = false;
    this.#lastId += 1;
    this.#underWay = { id: this.#lastId, muted: this.isMuted };
    return this.#underWay;
  }

  answered(id, refusal) {
    if (Number(id) !== this.#underWay?.id) return;
    this.#underWay = undefined;
    if (refusal?.reason === tooMany) this.#isWanted = true;
  }

  /** Notes that the connection was lost: a request under way may not have arrived. */
  lost() {
    this.#isWanted ||= this.#underWay !== undefined;
    this.#underWay = undefined;
  }

  /** Notes that a new session begins, which starts with the state. */
  restart() {
    this.#isWanted = false;
    this.#ranges = this.isMuted ? [{ from: 0, to: Infinity }] : [];
  }

  /** Notes that a number of samples, which have just passed, are left out of the time. */
  leaveOut(count) {
    for (const range of this.#ranges) {
      range.from = Math.max(0, range.from - count);
      range.to = Math.max(0, range.to - count);
    }
  }

  /** Silences what was captured while muted, and all output while muted. Returns whether there was any. */
  silence(first, samples) {
    let hasSilenced = this.isMuted;
    if (this.isMuted) samples.fill(0);
    for (const { from, to } of this.#ranges) {
      const [start, end] = [Math.max(0, from - first), Math.max(0, Math.min(samples.length, to - first))];
      samples.fill(0, start, end);
      hasSilenced ||= start < end;
    }
    return hasSilenced;
  }

  #apply(isMuted, next) {
    if (isMuted === this.isMuted) return;
    this.isMuted = isMuted;
    if (isMuted) this.#ranges.push({ from: next, to: Infinity });
    else this.#ranges.at(-1).to = next;
  }
}
