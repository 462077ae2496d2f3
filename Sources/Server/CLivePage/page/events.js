// The events of a session in words, their effect on what is known of it, and the questions they ask.
import { milliseconds, number, words } from "./elements.js";

const sides = { SIDE_NEAR_END: "near end", SIDE_FAR_END: "far end" };
const inputs = (kind) => words(kind, "INPUT_KIND_");
const decibels = (value) => number(value ?? 0, 0, "dB");

/** Each kind of event: its words, and whether it deserves attention. */
const kinds = {
  mutedSpeechActivity: (e) => [
    e.activity === "SPEECH_ACTIVITY_STARTED" ? "talks while muted" : "no longer talks while muted"],
  voiceActivityChanged: (e) => [
    `${sides[e.side] ?? "a side"} ${e.active ? "talks" : "is silent"}`],
  muteChanged: (e) => [
    `${e.state?.muted ? "muted" : "unmuted"} by ${e.state?.actor ?? "somebody"}`, true],
  muteGestureRequested: (e) => [
    `a button asks to ${e.proposedMuted ? "mute" : "unmute"}`, true],
  muteGestureResolved: (e) => [
    `the press of the button was ${words(e.outcome, "MUTE_GESTURE_OUTCOME_")}`],
  micModeChanged: (e) => [
    `mic mode ${words(e.active, "MIC_MODE_")}${e.reason ? ` (${words(e.reason)})` : ""}`, true],
  duckingChanged: (e) => [`other audio at ${decibels(e.gainDb)}`],
  injectionAvailabilityChanged: (e) => [
    `speech can ${e.available ? "" : "not "}be injected`],
  injectionPermissionRequested: (e) => [
    `${e.client} asks to speak: ${e.usageDescription}`, true],
  injectionPermissionChanged: (e) => [
    `injection by ${e.client}: ${words(e.permission, "INJECTION_PERMISSION_")}`, true],
  injectionProgress: (e) => [`injected speech ${words(e.state, "STATE_")}`],
  routeChanged: (e) => [`route: ${route(e.current) || "none"}`, true],
  interruption: (e) => [
    e.began ? `interrupted: ${words(e.reason, "REASON_")}` : "the interruption has ended", true],
  discontinuity: (e) => [
    `${e.missingSamples ?? 0} samples of the ${inputs(e.input)} are missing`],
  echoPathChanged: (e) => [
    `echo found at ${milliseconds(e.delay ?? "0s")}${e.converged ? ", and removed" : ""}`],
  configChanged: (e) => [`settings changed by ${e.actor || "somebody"}`, true],
  captureWarning: (e) => [
    `${e.active ? "warning" : "no longer"}: ${words(e.problem, "PROBLEM_")}`, e.active],
  draining: (e) => [`the server stops in ${milliseconds(e.endsIn ?? "0s")}`, true],
  sessionEnded: (e) => [`ended: ${words(e.reason, "REASON_")}`, true],
  outputDropped: (e) => [`${e.samples ?? 0} samples of the output were dropped`, true],
  sessionSuspended: () => ["the media client is disconnected", true],
  playbackClientChanged: (e) => [
    `${e.client} ${e.joined ? "plays" : "no longer plays"} the playback`, true],
  sessionResumed: () => ["the media client is back", true],
};

/** Returns the kind of an event, its words, and whether it deserves attention. */
export function describe(event) {
  const kind = Object.keys(kinds).find((name) => event[name] !== undefined);
  if (!kind) return { kind: "", text: "an event of a newer version", isImportant: false };
  const [text, isImportant = false] = kinds[kind](event[kind]);
  return { kind, text, isImportant };
}

/** Returns a route in words: "Speakerphone → Speakerphone". */
export function route(route) {
  const name = (port) => port && (port.displayName || port.portId);
  return [name(route?.input), name(route?.output)].filter(Boolean).join(" → ");
}

/** Applies an event to a session. `client` is the name of the page's principal. */
export function apply(session, event, client) {
  const { kind } = describe(event);
  const e = event[kind];
  session.lastEventId = event.eventId;
  if (kind === "voiceActivityChanged") {
    session[e.side === "SIDE_FAR_END" ? "farEndVoiceActive" : "voiceActive"] = e.active ?? false;
  } else if (kind === "mutedSpeechActivity") {
    session.mutedSpeechActive = e.activity === "SPEECH_ACTIVITY_STARTED";
  } else if (kind === "muteChanged") {
    session.mute = e.state ?? {};
    if (!session.mute.muted) session.mutedSpeechActive = false;
  } else if (kind === "micModeChanged") session.activeMicMode = e.active;
  else if (kind === "configChanged") session.config = e.config ?? {};
  else if (kind === "injectionAvailabilityChanged") session.injectionAvailable = e.available ?? false;
  else if (kind === "injectionPermissionChanged") {
    if (e.client === client) session.injectionPermission = e.permission;
  } else if (kind === "routeChanged") session.route = e.current;
  else if (kind === "sessionSuspended") session.state = "STATE_SUSPENDED";
  else if (kind === "sessionResumed") session.state = "STATE_RUNNING";
}

/** The questions that wait for an answer of the media client. */
export class Questions {
  constructor() {
    this.open = new Map();
  }

  /** Returns whether the questions have changed. */
  note(event) {
    const { kind } = describe(event);
    const e = event[kind];
    if (kind === "injectionPermissionRequested") {
      this.open.set(`injection ${e.client}`, {
        kind: "injection", client: e.client, usage: e.usageDescription });
    } else if (kind === "muteGestureRequested") {
      this.open.set(`gesture ${e.gestureId}`, { kind: "gesture", muted: e.proposedMuted ?? false });
    } else if (kind === "injectionPermissionChanged") {
      return this.open.delete(`injection ${e.client}`);
    } else if (kind === "muteGestureResolved") {
      return this.open.delete(`gesture ${e.gestureId}`);
    } else if (kind === "sessionEnded") this.open.clear();
    else return false;
    return true;
  }
}
