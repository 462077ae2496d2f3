// The page as a whole: the microphone, the session, the bot and the problems.
import { announce, element, show } from "./elements.js";
import { Comparison } from "./compare.js";
import { Enrollment } from "./enroll.js";
import { credentials, notAToken, pasted } from "./service.js";
import { Session } from "./session.js";
import { microphones, Sound } from "./sound.js";
import { View } from "./view.js";
import { browserProblem, microphoneProblem, refusal } from "./words.js";

const modes = [
  ["MIC_MODE_STANDARD", "Standard", "For calls: less echo and noise, at an even level."],
  ["MIC_MODE_VOICE_ISOLATION", "Voice isolation", "Keeps the voice, and lowers everything else."],
  ["MIC_MODE_WIDE_SPECTRUM", "Wide spectrum", "Keeps the sound of the whole room, without the echo."],
];
/** The milliseconds without audio after which the page has slept. */
const nap = 3000;
/** The characters of a subprotocol, in which the token is sent. */
const subprotocol = /^[\w!#$%&'*+.^`|~-]*$/;
const signInCodes = ["UNAUTHENTICATED"];
const find = (id) => document.getElementById(id);
const places = ["welcome", "problem", "sign-in", "running"];

const view = new View();
const comparison = new Comparison(() => sound, (isRecording) => talk(isRecording && !isAlone));
const enrollment = new Enrollment({ learn, forget: () => session?.forgetVoice(), known, compare: compareOthers });
let sound;
let session;
let mode = modes[0][0];
let botVoice;
let bot;
let lastChunk = 0;
/** Counts what opens or closes the microphone, so that one that opens late is closed again. */
let openings = 0;
/** Whether the next session begins muted, as the last one was. */
let beginsMuted = false;
/** Whether the person has asked for the session that is about to begin, which then records. */
let isAsked = false;
/** Why the session that is about to begin follows another one. */
let whyAnew;
/** Whether a recording is made without the bot. */
let isAlone = false;

prepare();

function prepare() {
  find("start").addEventListener("click", () => open());
  find("again").addEventListener("click", () => open());
  find("stop").addEventListener("click", () => {
    close();
    beginsMuted = false;
    enrollment.reset();
    connection("idle", "Not started");
    go("welcome");
    find("start").focus();
  });
  find("mute").addEventListener("click", mute);
  find("bot").addEventListener("click", () => talk(!bot));
  find("microphone").addEventListener("change", () => open(find("microphone").value));
  find("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    credentials.token = pasted(find("token").value);
    find("token").value = "";
    open();
  });
  find("modes").replaceChildren(...modes.map(([value, label]) => {
    const input = element("input", { type: "radio", name: "mode", value, checked: value === mode });
    input.addEventListener("change", () => choose(value));
    return element("label", {}, input, element("span", {}, label));
  }));
  choose(mode);
  navigator.mediaDevices?.addEventListener("devicechange", () => sound && list());
  document.addEventListener("visibilitychange", () => document.hidden || sound?.resume());
  const problem = browserProblem();
  if (problem) stopWith(...problem);
}

/** Shows one of the places of the page. */
function go(place) {
  for (const id of places) find(id).hidden = id !== place;
}

function connection(state, text) {
  const node = find("connection");
  node.dataset.state = state;
  show(node, text);
}

/** Shows what is wrong while the page goes on. An empty text hides it. */
function warn(text) {
  show(find("lost"), text);
  find("lost").hidden = !text;
}

/** Shows a problem that the person has to solve. */
function stopWith(title, advice) {
  close();
  show(find("problem-title"), title);
  show(find("problem-advice"), advice);
  connection("lost", "Stopped");
  go("problem");
  find("problem-title").focus();
}

/** Opens a microphone, and begins a session with it. */
async function open(deviceId) {
  close();
  const opening = openings;
  if (!subprotocol.test(credentials.token)) {
    credentials.token = "";
    return askForToken(notAToken);
  }
  connection("waiting", "Asking for the microphone");
  let opened;
  try {
    opened = await Sound.open(deviceId, { chunk, changed: microphoneGone, paused });
  } catch (error) {
    if (opening === openings) stopWith(...microphoneProblem(error));
    return;
  }
  if (opening !== openings) return opened.close();
  sound = opened;
  list();
  isAsked = true;
  begin(beginsMuted);
}

function mute() {
  if (!session) return;
  session.setMuted(!session.muted);
  view.setMuted(session.muted);
}

function begin(muted) {
  connection("waiting", "Connecting");
  lastChunk = performance.now();
  session = new Session({ rate: sound.rate, mode, muted, token: credentials.token }, {
    voiceToBeginWith: () => enrollment.voiceprint,
    connected, lost, refused, ended, audio,
    modeChanged: showMode,
    event: (event) => {
      view.note(event);
      enrollment.note(event);
    },
    voiceprint: (learnt) => enrollment.learnt(learnt),
    enrollmentRefused: (refusal) => enrollment.refused(refusal),
    stats: (stats) => view.measure(stats),
  });
}

function close() {
  openings += 1;
  beginsMuted = session?.muted ?? beginsMuted;
  talk(false);
  comparison.stop();
  session?.end();
  sound?.close();
  session = undefined;
  sound = undefined;
  warn("");
}

// MARK: Audio

function chunk(frame, microphone, reference) {
  const now = performance.now();
  const slept = now - lastChunk;
  lastChunk = now;
  if (!session) return;
  if (slept > nap) wake(slept);
  const first = session.send(frame, microphone, reference);
  view.heard(microphone);
  if (first !== undefined && session.isConnected) comparison.add("before", first, microphone, sound.rate);
}

function audio(first, samples, probabilities, isMuted) {
  view.processedSamples(samples);
  comparison.add("after", first, samples, sound?.rate, isMuted);
}

/** Begins anew after the tab has slept: what was said meanwhile is unknown. */
function wake(slept) {
  const { muted } = session;
  session.end();
  comparison.cancel();
  // Told once the session runs, so that nothing else is told at the same time.
  whyAnew = `This tab slept for ${Math.round(slept / 1000)} seconds. A new session has begun.`;
  begin(muted);
  warn("");
}

function paused(isPaused) {
  if (!sound || sound.context.state === "closed") return;
  warn(isPaused ? "The browser has paused the sound. Touch the page to go on." : "");
  if (isPaused) document.addEventListener("pointerdown", () => sound?.resume(), { once: true });
}

function microphoneGone() {
  stopWith("The microphone is gone",
    "It was unplugged, or the browser took it away. Connect one, and try again.");
}

/** Lists the microphones. */
async function list() {
  const chosen = sound?.track.getSettings().deviceId;
  const found = await microphones();
  find("microphone").replaceChildren(...found.map(({ id, name }) =>
    element("option", { value: id, selected: id === chosen }, name)));
}

function choose(value) {
  showMode(value);
  session?.setMode(value);
}

/** Shows a mode that the person or another client has chosen. */
function showMode(value) {
  mode = value;
  for (const input of find("modes").querySelectorAll("input")) input.checked = input.value === value;
  show(find("mode-hint"), modes.find(([name]) => name === value)?.[2] ?? "");
}

// MARK: The voice of the person

/** Lets the session learn the voice, if there is one. Nothing may play meanwhile. */
function learn() {
  if (!session?.isConnected) return false;
  comparison.stop();
  if (!find("progress").hidden) comparison.cancel();
  talk(false);
  session.learnVoice();
  return true;
}

/** Keeps the voice that was learnt. */
function known() {
  document.querySelector("[value=MIC_MODE_VOICE_ISOLATION]").checked = true;
  choose("MIC_MODE_VOICE_ISOLATION");
}

/** Records without the bot, so that others can talk. */
function compareOthers() {
  isAlone = true;
  comparison.arm("Let somebody else talk, or play a video.", "the other voices are lowered");
  isAlone = false;
}

/** Lets the bot talk, or stops it. */
async function talk(isWanted) {
  if (isWanted === Boolean(bot)) return;
  find("bot").setAttribute("aria-pressed", String(isWanted));
  show(find("bot"), isWanted ? "Stop the bot" : "Start the bot");
  show(find("bot-problem"), "");
  if (!isWanted) {
    sound?.stop(bot);
    bot = undefined;
    return;
  }
  const own = { isStopped: true };
  try {
    bot = own;
    botVoice ??= await voice();
    // The person may have stopped the bot, or the microphone, meanwhile, and started it again.
    if (bot === own && sound) bot = sound.play(botVoice, { loop: true });
  } catch (error) {
    if (bot !== own) return;
    talk(false);
    show(find("bot-problem"), `The bot has no voice: ${error.message}`);
  }
}

async function voice() {
  const response = await fetch("try/bot.wav");
  if (!response.ok) throw new Error((await response.text()).trim());
  return sound.context.decodeAudioData(await response.arrayBuffer());
}

// MARK: The session

function connected(started) {
  connection("connected", "Connected");
  warn("");
  go("running");
  if (started.resumed) return announce("Connected again");
  view.begin(session.muted);
  enrollment.begin(started.voiceprintUsed);
  announce(whyAnew ?? "Connected. Say something.");
  whyAnew = undefined;
  // A session that follows a loss says nothing unasked, and leaves the last recording.
  if (isAsked) comparison.arm();
  isAsked = false;
}

function lost(error) {
  connection("lost", "Disconnected");
  warn(error.code === "UNAVAILABLE" ? "The server does not answer. Trying again. Your microphone stays open."
    : `${error.message}. Trying again.`);
  if (!find("progress").hidden) comparison.cancel();
}

function refused(error) {
  if (!signInCodes.includes(error.code)) return stopWith(...refusal(error));
  // Before the first token there is nothing wrong yet.
  askForToken(error.reason === "CREDENTIALS_MISSING" ? "" : error.message);
}

/** Shows the form for a token, and what is wrong with the last one. */
function askForToken(problem) {
  show(find("sign-in-problem"), problem);
  close();
  connection("waiting", "Not signed in");
  go("sign-in");
  find("token").focus();
}

function ended() {
  stopWith("The session has ended", "The server ended it. Try again to begin another one.");
}
