// A session over the WebSocket GET /v1/process, which goes on after its connection was lost, as the rules for clients
// say: docs/reference/clients.md.
import { MuteHistory } from "./mute.js";
import { seconds } from "./elements.js";
import { Retries, ServiceError } from "./service.js";
import { decode, encode } from "./wire.js";

const path = "/v1/process";
const subprotocols = ["anechoic.v1", "anechoic.client.try-page"];
const statsInterval = "0.25s";
/** The milliseconds in which the server has to answer, a start or audio. */
const patience = 2000;
/** The milliseconds that a session must last to count as a success. */
const shortSession = 1000;
/** The seconds of audio that are kept for a session that is resumed, and that may wait in the browser. */
const keptSeconds = 2;
/** The longest gap in seconds before samples of a session that is resumed. */
const longestGap = 10;
/** The longest delay in seconds that a session can have. */
const longestDelay = 1;
/** The code that closes a connection, but not its session. */
const givesUp = 4000;
/** The ids of the controls about the enrollment. Those about the mute state count from 1. */
const enrollmentControls = { learn: 1e9, forget: 1e9 + 1 };
/** The id of the controls about the mic mode. */
const modeControl = 1e9 + 2;
const codesForGood = ["INVALID_ARGUMENT", "UNIMPLEMENTED", "UNAUTHENTICATED", "PERMISSION_DENIED"];
/** The reasons after which a new session follows at once. */
const startsAtOnce = ["DRAINING", "SERVER_SHUTDOWN", "RESUME_TOKEN_UNKNOWN", "TOO_MANY_RESUMES"];

export class Session {
  #socket;
  #id;
  #resumeToken;
  #window = 0;
  #startedAt;
  #lostAt;
  #lastHeard = 0;
  /** Whether an attempt has followed at once since the last session that lasted. */
  #hasHurried = false;
  #retries = new Retries();
  #timer;
  /** The frame of the audio context that has the index 0 in the session. Unknown before the first audio. */
  #origin;
  /** The index of the next sample of the microphone. */
  #next = 0;
  /** The chunks of the last seconds, for a session that is resumed. */
  #kept = [];
  #point = { processedSamples: 0, lastEventId: 0 };
  #muting;
  /** Whether the server was asked to forget the voice, and has not answered yet. */
  #isForgetting = false;
  /** Whether the server was asked to learn the voice, and has not answered yet. */
  #isLearning = false;
  /** The requests for a mic mode that the server has not answered yet. */
  #modesAsked = 0;
  /** The mode that the server has told last. */
  #modeTold;
  #isOver = false;

  /**
   * Begins a session. `rate` is the sample rate of both inputs and of the output. `listener` has the functions
   * connected(started), lost(error), refused(error), audio(first, samples, probabilities, isMuted), event(event),
   * voiceprint(voiceprint), enrollmentRefused(refusal), modeChanged(mode), stats(stats), ended(status), and
   * voiceToBeginWith(), which returns the voiceprint of a session that begins, or nothing.
   */
  constructor({ rate, mode, muted, token }, listener) {
    this.rate = rate;
    this.mode = mode;
    this.token = token;
    this.listener = listener;
    this.#muting = new MuteHistory(muted);
    this.#connect();
  }

  get isConnected() {
    return this.#startedAt !== undefined && this.#socket?.readyState === WebSocket.OPEN;
  }

  get muted() {
    return this.#muting.isMuted;
  }

  /**
   * Sends samples of the microphone and of what the page played. `frame` is the time of the first one. Returns its
   * index in the session, or nothing before the session has begun.
   */
  send(frame, microphone, reference) {
    if (!this.isConnected && this.#origin === undefined) return undefined;
    if (this.isConnected && performance.now() - this.#lastHeard > patience) this.#drop();
    this.#origin ??= frame - this.#next;
    const first = frame - this.#origin;
    this.#next = first + microphone.length;
    this.#kept.push({ first, microphone, reference });
    while (this.#next - this.#kept[0].first > keptSeconds * this.rate) this.#kept.shift();
    const isLate = (this.#socket?.bufferedAmount ?? 0) > keptSeconds * this.rate * 4;
    if (this.isConnected && !isLate) this.#socket.send(encode(first, microphone, reference));
    return first;
  }

  setMuted(muted) {
    this.#muting.set(muted, this.#next);
    this.#askForMute();
  }

  setMode(mode) {
    this.mode = mode;
    this.#modesAsked += 1;
    this.#askForMode();
  }

  /** Learns the voice at the microphone. */
  learnVoice() {
    this.#isForgetting = false;
    this.#isLearning = true;
    this.#askAboutVoice();
  }

  /** Lets the server forget the voice: now, or as soon as the session goes on. */
  forgetVoice() {
    this.#isForgetting = true;
    this.#isLearning = false;
    this.#askAboutVoice();
  }

  /** Ends the session. */
  end() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send('{"end":{}}');
    this.#socket?.close();
  }

  #control(controlId, control) {
    if (this.isConnected) this.#socket.send(JSON.stringify({ control: { controlId: String(controlId), ...control } }));
  }

  #askForMode() {
    const config = { preferredMicMode: this.mode };
    this.#control(modeControl, { updateConfig: { config, updateMask: "preferredMicMode" } });
  }

  #askForMute() {
    const request = this.isConnected ? this.#muting.nextRequest() : undefined;
    if (request) this.#control(request.id, { setMute: { muted: request.muted } });
  }

  /** Sends the last request about the voice, also again after a loss, until the server has answered it. */
  #askAboutVoice() {
    if (this.#isLearning) this.#control(enrollmentControls.learn, { enrollVoice: {} });
    if (this.#isForgetting) this.#control(enrollmentControls.forget, { setVoiceprint: {} });
  }

  // MARK: The connection

  #connect() {
    if (performance.now() - this.#lostAt > this.#window) this.#forget();
    const url = new URL(path, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const offered = this.token ? [...subprotocols, `anechoic.bearer.${this.token}`] : subprotocols;
    const socket = new WebSocket(url, offered);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    const isCurrent = () => this.#socket === socket;
    this.#timer = setTimeout(() => this.#drop(), patience);
    socket.addEventListener("open", () => isCurrent() && socket.send(JSON.stringify({ start: this.#start() })));
    socket.addEventListener("message", ({ data }) => isCurrent() && this.#take(data));
    socket.addEventListener("close", () => isCurrent() && this.#drop());
  }

  #start() {
    const format = { encoding: "AUDIO_ENCODING_PCM_S16LE", sampleRateHz: this.rate, channelCount: 1 };
    const start = {
      sessionId: this.#id, muted: this.muted, statsInterval,
      inputs: { microphone: format, reference: format }, outputs: { processed: format, chunkDuration: "0.02s" },
      config: { preferredMicMode: this.mode, voiceActivityDetection: { enabled: true } },
      voiceprint: this.listener.voiceToBeginWith(),
    };
    if (!this.#resumeToken) return start;
    const resumePoint = { microphoneSample: this.#kept[0]?.first ?? this.#next, ...this.#point };
    return { ...start, resumeToken: this.#resumeToken, resumePoint };
  }

  /** Gives the connection up. A status that has come says why it ended. */
  #drop(status = { code: "UNAVAILABLE", message: "the connection was lost" }) {
    const socket = this.#socket;
    if (!socket) return;
    clearTimeout(this.#timer);
    this.#socket = undefined;
    socket.close(givesUp);
    const lasted = performance.now() - this.#startedAt;
    if (lasted >= shortSession) this.#hasHurried = false;
    this.#startedAt = undefined;
    this.#lostAt ??= performance.now();
    this.#muting.lost();
    if (this.#isOver) return;
    if (status.code === "OK") return this.listener.ended(status);
    const error = new ServiceError(status);
    const isAtOnce = startsAtOnce.includes(error.reason) && !(lasted < shortSession) && !this.#hasHurried;
    this.#hasHurried ||= isAtOnce;
    if (codesForGood.includes(error.code) && !isAtOnce) return this.listener.refused(error);
    if (startsAtOnce.includes(error.reason) || !this.#resumeToken) this.#forget();
    if (error.code === "ALREADY_EXISTS") this.#id = undefined;
    this.listener.lost(error);
    this.#timer = setTimeout(() => this.#connect(), isAtOnce ? 0 : this.#retries.next(error));
  }

  /** Begins with a new session, because the old one is gone. Its id, mode and mute state stay. */
  #forget() {
    this.#resumeToken = undefined;
    this.#origin = undefined;
    this.#next = 0;
    this.#kept = [];
    this.#point = { processedSamples: 0, lastEventId: 0 };
    this.#muting.restart();
    // A new session begins with the mode, and has no voice but that of its start.
    this.#modesAsked = 0;
    this.#modeTold = undefined;
    this.#isForgetting = false;
    this.#isLearning = false;
  }

  // MARK: Messages

  /** Takes a message. One that makes no sense ends the connection, as a loss does. */
  #take(data) {
    this.#lastHeard = performance.now();
    try {
      if (typeof data === "string") this.#receive(JSON.parse(data));
      else this.#receiveAudio(decode(data));
    } catch {
      this.#drop();
    }
  }

  #receive({ started, event, stats, status, controlResult, voiceprint }) {
    if (started) this.#begin(started);
    else if (event) this.#note(event);
    else if (stats) this.listener.stats(stats);
    else if (voiceprint) this.listener.voiceprint(voiceprint);
    else if (Object.values(enrollmentControls).includes(Number(controlResult?.controlId))) {
      if (Number(controlResult.controlId) === enrollmentControls.forget) this.#isForgetting = false;
      else this.#isLearning = false;
      if (controlResult.refusal) this.listener.enrollmentRefused(controlResult.refusal);
    } else if (Number(controlResult?.controlId) === modeControl) {
      this.#modesAsked = Math.max(0, this.#modesAsked - 1);
      this.#followMode();
    } else if (controlResult) {
      this.#muting.answered(controlResult.controlId, controlResult.refusal);
      this.#askForMute();
    } else if (status) this.#drop(status);
  }

  #note(event) {
    this.#point.lastEventId = Number(event.eventId);
    if (event.muteChanged) this.#muting.changed(event.muteChanged.state?.muted ?? false, this.#next);
    if (event.configChanged) {
      this.#modeTold = event.configChanged.config?.preferredMicMode;
      this.#followMode();
    }
    this.listener.event(event);
  }

  /** Takes the mode of the server, unless the person's own choice is on its way. */
  #followMode() {
    if (this.#modesAsked > 0 || !this.#modeTold || this.#modeTold === this.mode) return;
    this.mode = this.#modeTold;
    this.listener.modeChanged(this.mode);
  }

  #receiveAudio({ first, samples, probabilities }) {
    // Audio that was never sent, or that came before, is not played.
    const skipped = Math.max(0, this.#point.processedSamples - first);
    if (!samples || !(first >= 0) || first + samples.length > this.#next || skipped >= samples.length) return;
    this.#point.processedSamples = first + samples.length;
    const isMuted = this.#muting.silence(first, samples);
    this.listener.audio(first + skipped, samples.subarray(skipped), probabilities, isMuted);
  }

  #begin(started) {
    const { resumed } = started;
    const sample = Number(resumed?.microphoneSample ?? 0);
    const output = started.outputs?.processed;
    if (seconds(started.algorithmicDelay ?? "0s") > longestDelay || output && !this.#fits(output)
      || sample < 0 || sample > this.#next) throw new Error("the answer to the start makes no sense");
    clearTimeout(this.#timer);
    this.#retries.succeeded();
    this.#startedAt = performance.now();
    this.#lostAt = undefined;
    this.#resumeToken = started.resumeToken;
    this.#window = (seconds(started.resumeWindow) ?? 0) * 1000;
    this.#id = started.session?.replace("sessions/", "");
    if (resumed) {
      this.#point.processedSamples = Number(resumed.processedSample ?? 0);
      // After a longer gap than the server conceals, the time of the session is that of the server.
      const gap = (this.#kept[0]?.first ?? this.#next) - sample;
      if (gap > longestGap * this.rate) this.#leaveOut(gap);
      for (const { first, microphone, reference } of this.#kept) {
        if (first >= sample) this.#socket.send(encode(first, microphone, reference));
      }
    }
    // Requests that were made while the start was on its way follow it. Somebody else may have chosen another mode
    // meanwhile, which stays.
    this.#modesAsked = Math.min(this.#modesAsked, 1);
    if (this.#modesAsked > 0) this.#askForMode();
    this.#askAboutVoice();
    this.#askForMute();
    this.listener.connected(started);
  }

  /** Leaves a number of samples out of the time of the session. */
  #leaveOut(count) {
    this.#origin += count;
    this.#next -= count;
    for (const chunk of this.#kept) chunk.first -= count;
    this.#muting.leaveOut(count);
  }

  #fits({ encoding, sampleRateHz, channelCount }) {
    return encoding === "AUDIO_ENCODING_PCM_S16LE" && sampleRateHz === this.rate && channelCount === 1;
  }
}
