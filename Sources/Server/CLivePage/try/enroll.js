// Learning the voice of the person, which voice isolation then keeps.
import { show } from "./elements.js";

const hints = {
  none: "The server can learn your voice from 3 seconds of it. Voice isolation then keeps you, wherever you are, and "
    + "lowers everybody else. Your voice stays in this tab, and in the memory of the server, until you switch the "
    + "microphone off or let the server forget it.",
  away: "The server does not answer. Try again when the page is connected.",
  learning: "Talk now, alone, until the server knows your voice: about 4 seconds.",
  known: "The server knows your voice, and lowers all others. Let somebody else talk, or play a video, and compare.",
};
const failures = {
  FAILURE_SEVERAL_VOICES: "The server heard several voices. Let one person talk alone, and try again.",
  FAILURE_TOO_LITTLE_VOICE: "The server heard too little of a voice. Talk for some seconds, and try again.",
};
const find = (id) => document.getElementById(id);

export class Enrollment {
  #isLearning = false;
  #isKnown = false;
  /** The voice of the person, which each session begins with. Nothing else on the page keeps it. */
  #voiceprint;

  /** `act` has the functions learn(), which returns whether it begins, forget(), known() and compare(). */
  constructor(act) {
    this.act = act;
    find("learn").addEventListener("click", () => this.#isLearning || this.#learn());
    find("forget").addEventListener("click", () => this.#forget());
    find("others").addEventListener("click", () => act.compare());
    this.#update(hints.none);
  }

  get voiceprint() {
    return this.#voiceprint;
  }

  /** Forgets the voice here: the person has switched the microphone off, which ends the session. */
  reset() {
    this.#voiceprint = undefined;
    this.begin();
  }

  /** Shows the state of a session that is new. `isKnown` says whether it uses the voice that was learnt. */
  begin(isKnown = false) {
    this.#isLearning = false;
    this.#isKnown = isKnown;
    this.#update(isKnown ? hints.known : hints.none);
  }

  learnt(voiceprint) {
    this.#voiceprint = voiceprint;
  }

  /** Takes an event of the session. */
  note({ voiceEnrollmentChanged }) {
    if (!voiceEnrollmentChanged) return;
    const { state, failure } = voiceEnrollmentChanged;
    const wasLearning = this.#isLearning;
    this.#isLearning = state === "VOICE_ENROLLMENT_ENROLLING";
    this.#isKnown = state === "VOICE_ENROLLMENT_ENROLLED";
    if (state === "VOICE_ENROLLMENT_NONE") this.#voiceprint = undefined;
    const hint = this.#isLearning ? hints.learning : this.#isKnown ? hints.known : hints.none;
    this.#update(failures[failure] ?? hint);
    if (wasLearning && this.#isKnown && !failure) this.act.known();
  }

  /** Says why the server refuses to learn or to forget a voice. */
  refused({ message }) {
    this.#isLearning = false;
    this.#update(message);
  }

  #learn() {
    this.#isLearning = this.act.learn();
    this.#update(this.#isLearning ? hints.learning : hints.away);
  }

  /** Forgets the voice here, and then on the server, also while the page is disconnected. */
  #forget() {
    this.#voiceprint = undefined;
    this.begin();
    this.act.forget();
  }

  #update(hint) {
    show(find("voice-hint"), hint);
    show(find("learn"), this.#isLearning ? "Listening …" : this.#isKnown ? "Learn it again" : "Learn my voice");
    // A button that is disabled would lose the focus of the keyboard.
    find("learn").setAttribute("aria-disabled", String(this.#isLearning));
    find("forget").hidden = find("others").hidden = !this.#isKnown || this.#isLearning;
  }
}
