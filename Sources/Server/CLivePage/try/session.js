// A session over the WebSocket GET /v1/process, which goes on after its connection was lost.
import { isLost, Retries, ServiceError } from "./service.js";
import { decode, encode } from "./wire.js";

const path = "/v1/process";
const subprotocols = ["anechoic.v1", "anechoic.client.try-page"];
const statsInterval = "0.25s";
/** The milliseconds in which the server has to answer the start. */
const patience = 5000;
/** The seconds of audio that may wait in the browser. Later audio is left out, and the server conceals the gap. */
const longestBacklog = 1;
/** The statuses after which the session cannot go on, but another one can begin. */
const startsAnew = ["NOT_FOUND", "INVALID_ARGUMENT"];

export class Session {
  #socket;
  #started;
  #status;
  #retries = new Retries();
  #timer;
  /** The frame of the audio context that has the index 0 in the session. Unknown before the first audio. */
  #origin;
  /** The index of the next sample of the microphone. */
  #next = 0;
  #point = { processedSamples: 0, lastEventId: 0 };
  #isOver = false;

  /**
   * Begins a session. `rate` is the sample rate of both inputs and of the output. `listener` has the functions
   * connected(started), lost(error), refused(error), audio(first, samples, probabilities), event(event),
   * stats(stats) and ended(status).
   */
  constructor({ rate, mode, muted, token }, listener) {
    this.rate = rate;
    this.mode = mode;
    this.muted = muted;
    this.token = token;
    this.listener = listener;
    this.#connect();
  }

  /**
   * Sends samples of the microphone and of what the page played. `frame` is the time of the first one. Returns its
   * index in the session, or nothing before the session has begun.
   */
  send(frame, microphone, reference) {
    if (!this.isConnected && this.#origin === undefined) return undefined;
    this.#origin ??= frame - this.#next;
    const first = frame - this.#origin;
    this.#next = first + microphone.length;
    const isLate = (this.#socket?.bufferedAmount ?? 0) > longestBacklog * this.rate * 4;
    if (this.isConnected && !isLate) this.#socket.send(encode(first, microphone, reference));
    return first;
  }

  get isConnected() {
    return this.#started !== undefined && this.#socket?.readyState === WebSocket.OPEN;
  }

  setMuted(muted) {
    this.muted = muted;
    this.#control({ setMute: { muted } });
  }

  setMode(mode) {
    this.mode = mode;
    this.#control({ updateConfig: { config: { preferredMicMode: mode }, updateMask: "preferredMicMode" } });
  }

  /** Ends the session. */
  end() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send('{"end":{}}');
    this.#socket?.close();
  }

  #control(control) {
    if (this.isConnected) this.#socket.send(JSON.stringify({ control: { controlId: "1", ...control } }));
  }

  #connect() {
    const url = new URL(path, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const offered = this.token ? [...subprotocols, `anechoic.bearer.${this.token}`] : subprotocols;
    const socket = new WebSocket(url, offered);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#status = undefined;
    const isCurrent = () => this.#socket === socket;
    this.#timer = setTimeout(() => socket.close(), patience);
    socket.addEventListener("open", () => isCurrent() && socket.send(JSON.stringify({ start: this.#start() })));
    socket.addEventListener("message", ({ data }) => isCurrent() && this.#receive(data));
    socket.addEventListener("close", () => isCurrent() && this.#closed());
  }

  #start() {
    const format = { encoding: "AUDIO_ENCODING_PCM_S16LE", sampleRateHz: this.rate, channelCount: 1 };
    const start = {
      inputs: { microphone: format, reference: format }, outputs: { processed: format, chunkDuration: "0.02s" },
      statsInterval, muted: this.muted,
      config: { preferredMicMode: this.mode, voiceActivityDetection: { enabled: true } },
    };
    if (!this.resumeToken) return start;
    const resumePoint = { microphoneSample: this.#next, ...this.#point };
    return { ...start, resumeToken: this.resumeToken, resumePoint };
  }

  #receive(data) {
    if (typeof data !== "string") return this.#receiveAudio(data);
    const message = JSON.parse(data);
    if (message.started) this.#begin(message.started);
    else if (message.event) {
      this.#point.lastEventId = Number(message.event.eventId);
      this.listener.event(message.event);
    } else if (message.stats) this.listener.stats(message.stats);
    else if (message.status) this.#status = message.status;
  }

  #receiveAudio(data) {
    const { first, samples, probabilities } = decode(data);
    if (!samples) return;
    this.#point.processedSamples = first + samples.length;
    this.listener.audio(first, samples, probabilities);
  }

  #begin(started) {
    clearTimeout(this.#timer);
    this.#retries.succeeded();
    this.#started = started;
    this.resumeToken = started.resumeToken;
    // After a long gap, the server expects an earlier sample.
    if (started.resumed) {
      this.#next = Number(started.resumed.microphoneSample ?? 0);
      this.#origin = undefined;
      // The person may have pressed the button meanwhile.
      this.setMuted(this.muted);
      this.setMode(this.mode);
    }
    this.listener.connected(started);
  }

  #closed() {
    clearTimeout(this.#timer);
    this.#started = undefined;
    this.#socket = undefined;
    if (this.#isOver) return;
    const status = this.#status ?? { code: "UNAVAILABLE", message: "the connection was lost" };
    if (status.code === "OK") return this.listener.ended(status);
    const error = new ServiceError(status);
    const goesOn = isLost(error) || error.retryDelay > 0 || status.code === "UNAVAILABLE";
    const isGone = this.resumeToken && startsAnew.includes(status.code);
    if (!isGone && !goesOn) return this.listener.refused(error);
    if (isGone || !this.resumeToken) this.#forget();
    this.listener.lost(error);
    this.#timer = setTimeout(() => this.#connect(), this.#retries.next(error));
  }

  /** Begins with a new session, because the old one is gone. */
  #forget() {
    this.resumeToken = undefined;
    this.#origin = undefined;
    this.#next = 0;
    this.#point = { processedSamples: 0, lastEventId: 0 };
  }
}
