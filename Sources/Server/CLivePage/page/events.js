// The events of a session in words, their effect on what is known of it, and the questions they ask.
import { audioRoute, kinds } from "./event-words.js";

/** Returns the kind of an event, its words, and whether it deserves attention. */
export function describe(event) {
  const kind = Object.keys(kinds).find((name) => event[name] !== undefined);
  if (!kind) return { kind: "", text: "an event of a newer version", isImportant: false };
  const { text, isImportant } = kinds[kind];
  return { kind, text: text(event[kind]), isImportant: isImportant(event[kind]) };
}

/** Returns a route in words: "Speakerphone → Speakerphone". Empty if there is none. */
export function route(route) {
  return route?.input || route?.output ? audioRoute(route) : "";
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
  else if (kind === "turnStarted" || kind === "turnEnded" || kind === "notSpeech") {
    session.turnActive = kind === "turnStarted";
  } else if (kind === "voiceEnrollmentChanged") session.voiceEnrollment = e.state;
  else if (kind === "configChanged") session.config = e.config ?? {};
  else if (kind === "injectionAvailabilityChanged") session.injectionAvailable = e.available ?? false;
  else if (kind === "injectionPermissionChanged") {
    if (e.client === client) session.injectionPermission = e.permission;
  } else if (kind === "routeChanged") session.route = e.current;
  else if (kind === "playbackClientChanged") session.playbackClient = e.joined ? e.client : "";
  else if (kind === "sessionSuspended") session.state = "STATE_SUSPENDED";
  else if (kind === "sessionResumed") session.state = "STATE_RUNNING";
  else if (kind === "captureWarning") {
    const others = (session.problems ?? []).filter((problem) => problem !== e.problem);
    session.problems = e.active ? [...others, e.problem] : others;
  }
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
