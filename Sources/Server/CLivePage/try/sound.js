// The microphone and the loudspeaker of the browser, on one clock.

const rates = [8000, 16000, 24000, 32000, 44100, 48000];
const usualRate = 48000;
const chunkSeconds = 0.02;

export class Sound {
  /**
   * Opens a microphone, by default the one that the browser chooses. `listener` has the functions
   * chunk(frame, microphone, reference), changed(reason) and paused(isPaused). Throws what getUserMedia throws.
   */
  static async open(deviceId, listener) {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: {
        deviceId: deviceId ? { exact: deviceId } : undefined, channelCount: 1,
        // This server does these three, and has to hear the echo and the noise.
        echoCancellation: false, noiseSuppression: false, autoGainControl: false,
      },
    });
    let sound;
    try {
      sound = new Sound(stream, listener);
      await sound.#start();
      return sound;
    } catch (error) {
      sound?.context.close();
      for (const track of stream.getTracks()) track.stop();
      throw error;
    }
  }

  #listener;
  #stream;
  #bus;

  constructor(stream, listener) {
    this.#stream = stream;
    this.#listener = listener;
    this.context = new AudioContext({ latencyHint: "interactive" });
    if (!rates.includes(this.context.sampleRate)) {
      this.context.close();
      this.context = new AudioContext({ latencyHint: "interactive", sampleRate: usualRate });
    }
  }

  /** The sample rate in Hz. */
  get rate() {
    return this.context.sampleRate;
  }

  get track() {
    return this.#stream.getAudioTracks()[0];
  }

  async #start() {
    const { context } = this;
    await context.audioWorklet.addModule("try/worklet.js");
    const capture = new AudioWorkletNode(context, "capture", {
      numberOfInputs: 2, numberOfOutputs: 1, processorOptions: { size: Math.round(chunkSeconds * this.rate) },
    });
    capture.port.onmessage = ({ data }) => this.#listener.chunk(data.first, data.microphone, data.reference);
    context.createMediaStreamSource(this.#stream).connect(capture, 0, 0);
    this.#bus = new GainNode(context);
    this.#bus.connect(capture, 0, 1);
    this.#bus.connect(context.destination);
    // A node that leads nowhere does not run in every browser. This one is silent.
    capture.connect(context.destination);
    this.track.addEventListener("ended", () => this.#listener.changed("ended"));
    context.addEventListener("statechange", () => this.#listener.paused(context.state !== "running"));
    await context.resume();
  }

  /** Goes on after the browser has paused the sound. */
  async resume() {
    if (this.context.state !== "closed") await this.context.resume();
  }

  /** Plays samples of 16 bits, or an AudioBuffer. Calls `ended` at the end, but not after `stop`. */
  play(sound, { loop = false, ended = () => {} } = {}) {
    const buffer = sound instanceof AudioBuffer ? sound : this.#buffer(sound);
    const source = new AudioBufferSourceNode(this.context, { buffer, loop });
    const playing = { stop: () => source.stop(), isStopped: false, began: this.context.currentTime };
    source.addEventListener("ended", () => playing.isStopped || ended());
    source.connect(this.#bus);
    source.start();
    return playing;
  }

  stop(playing) {
    if (!playing || playing.isStopped) return;
    playing.isStopped = true;
    playing.stop();
  }

  #buffer(samples) {
    const buffer = new AudioBuffer({ length: Math.max(1, samples.length), sampleRate: this.rate });
    const channel = buffer.getChannelData(0);
    samples.forEach((sample, index) => { channel[index] = sample / 32768; });
    return buffer;
  }

  close() {
    for (const track of this.#stream.getTracks()) track.stop();
    if (this.context.state !== "closed") this.context.close();
  }
}

/** Returns the microphones of the browser, with their names. */
export async function microphones() {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter(({ kind, deviceId }) => kind === "audioinput" && deviceId)
    .map(({ deviceId, label }, index) => ({ id: deviceId, name: label || `Microphone ${index + 1}` }));
}
