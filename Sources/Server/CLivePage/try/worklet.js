// Runs on the browser's audio thread.

/** Passes on the microphone and the sound that the page plays, in chunks of samples of the same time. */
class Capture extends AudioWorkletProcessor {
  #size;
  #filled = 0;
  #microphone;
  #reference;

  constructor({ processorOptions }) {
    super();
    this.#size = processorOptions.size;
    this.#begin();
  }

  process([microphone, played]) {
    const count = (microphone[0] ?? played[0])?.length ?? 128;
    for (let index = 0; index < count; index += 1) {
      this.#microphone[this.#filled] = sample(microphone, index);
      this.#reference[this.#filled] = sample(played, index);
      this.#filled += 1;
      if (this.#filled === this.#size) this.#pass(currentFrame + index + 1 - this.#size);
    }
    return true;
  }

  #pass(first) {
    const [microphone, reference] = [this.#microphone, this.#reference];
    this.port.postMessage({ first, microphone, reference }, [microphone.buffer, reference.buffer]);
    this.#begin();
  }

  #begin() {
    this.#filled = 0;
    this.#microphone = new Int16Array(this.#size);
    this.#reference = new Int16Array(this.#size);
  }
}

/** Returns the mean of the channels as an integer of 16 bits. An input without a source is silent. */
function sample(channels, index) {
  let sum = 0;
  for (const channel of channels) sum += channel[index];
  const value = channels.length > 0 ? sum / channels.length : 0;
  return Math.max(-32768, Math.min(32767, Math.round(value * 32768)));
}

registerProcessor("capture", Capture);
