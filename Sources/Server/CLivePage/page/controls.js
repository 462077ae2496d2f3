// The controls of one session. Each one is a call, whose refusal is shown as the server words it.
import { announce, element, show } from "./elements.js";
import { call, credentials } from "./service.js";

const modes = [
  ["MIC_MODE_STANDARD", "Standard"], ["MIC_MODE_VOICE_ISOLATION", "Voice isolation"],
  ["MIC_MODE_WIDE_SPECTRUM", "Wide spectrum"],
];
const levels = [
  ["LEVEL_MIN", "Least, 4 dB"], ["LEVEL_UNSPECIFIED", "Default, 12 dB"],
  ["LEVEL_MID", "Medium, 18 dB"], ["LEVEL_MAX", "Most, 30 dB"],
];

/** The controls. Their parts are `mute`, a button, `node` with the others, and `problem`, for a refusal. */
export class Controls {
  /** `changed` gets a newer state of the session from an answer. */
  constructor(name, changed) {
    this.name = name;
    this.changed = changed;
    this.problem = element("p", { className: "problem", role: "alert" });
    this.mute = element("button", { className: "mute", type: "button" }, "Mute");
    this.mute.addEventListener("click", () => this.setMute(!this.session?.mute?.muted));
    this.modes = modes.map(([value, label]) => {
      const input = element("input", { type: "radio", name: "mode", value });
      input.addEventListener("change", () =>
        this.update("config.preferredMicMode", { preferredMicMode: value }));
      return { input, node: element("label", {}, input, element("span", {}, label)) };
    });
    this.level = element("select", { id: "level" },
      ...levels.map(([value, label]) => element("option", { value }, label)));
    this.advanced = element("input", { type: "checkbox", id: "advanced" });
    for (const control of [this.level, this.advanced]) {
      control.addEventListener("change", () => this.update("config.otherAudioDucking", {
        otherAudioDucking: {
          level: this.level.value, advancedDuckingEnabled: this.advanced.checked },
      }));
    }
    this.accepts = element("input", { type: "checkbox", id: "accepts" });
    this.accepts.addEventListener("change", () => this.setInjection(this.accepts.checked));
    this.node = element("div", { className: "controls" },
      element("fieldset", {}, element("legend", {}, "Mic mode"),
        element("div", { className: "segments" }, ...this.modes.map((mode) => mode.node))),
      element("div", { className: "field" }, element("label", { for: "level" }, "Lower other audio"),
        this.level),
      element("label", { className: "check" }, this.advanced, "Lower it more while somebody talks"),
      element("label", { className: "check" }, this.accepts, "Accept injected speech"),
      this.speechForm());
  }

  speechForm() {
    this.text = element("textarea", { id: "speech", rows: 2, maxLength: 5000, required: true });
    this.usage = element("input", {
      id: "usage", maxLength: 250, required: true, value: "An operator speaks into this call" });
    this.speak = element("button", {}, "Speak");
    this.stop = element("button", { type: "button", hidden: true }, "Stop");
    this.stop.addEventListener("click", () => this.speech?.abort());
    this.progress = element("p", { className: "faint", role: "status" });
    const form = element("form", { className: "speech" },
      element("div", { className: "field" }, element("label", { for: "speech" }, "Text to speak"),
        this.text),
      element("div", { className: "field" },
        element("label", { for: "usage" }, "Reason that the person is shown"), this.usage),
      element("div", { className: "bar" }, this.speak, this.stop), this.progress);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.inject();
    });
    return form;
  }

  /** Shows the state of the session. A control that a person is using stays as it is. */
  show(session) {
    this.session = session;
    const isMuted = session.mute?.muted ?? false;
    show(this.mute, isMuted ? "Unmute" : "Mute");
    this.mute.setAttribute("aria-pressed", isMuted);
    const mode = session.config?.preferredMicMode ?? modes[0][0];
    for (const { input } of this.modes) input.checked = input.value === mode;
    const ducking = session.config?.otherAudioDucking ?? {};
    if (document.activeElement !== this.level) this.level.value = ducking.level ?? levels[1][0];
    this.advanced.checked = ducking.advancedDuckingEnabled ?? false;
    this.accepts.checked = session.config?.preferredInjectionMode === "INJECTION_MODE_SPOKEN_AUDIO";
  }

  /** Switches all controls off once the session has ended. */
  end() {
    this.speech?.abort();
    const controls = this.node.querySelectorAll("button, input, select, textarea");
    for (const control of [this.mute, ...controls]) control.disabled = true;
  }

  async setMute(muted) {
    const generation = this.session?.mute?.generation;
    await this.attempt(async () => {
      const request = { name: this.name, muted };
      if (generation !== undefined) request.ifGeneration = generation;
      const { state } = await call("SetMute", request);
      this.changed({ mute: state ?? {} });
      announce(muted ? "Muted" : "Unmuted");
    });
  }

  setInjection(isAccepted) {
    const mode = isAccepted ? "INJECTION_MODE_SPOKEN_AUDIO" : "INJECTION_MODE_NONE";
    return this.update("config.preferredInjectionMode", { preferredInjectionMode: mode });
  }

  update(updateMask, config) {
    return this.attempt(async () => {
      const { session } = await call("UpdateSession", {
        session: { name: this.name, config }, updateMask });
      this.changed({ config: session.config, activeMicMode: session.activeMicMode });
    });
  }

  /** Asks for permission, unless it is there, and speaks the text. */
  async inject() {
    if (this.speech) return;
    this.speech = new AbortController();
    const { signal } = this.speech;
    this.speak.disabled = true;
    this.stop.hidden = false;
    let outcome = "";
    await this.attempt(async () => {
      show(this.progress, `Waiting for ${this.session?.owner || "the media client"} to answer`);
      const { permission } = await call("RequestInjectionPermission", {
        name: this.name, usageDescription: this.usage.value }, signal);
      if (permission !== "INJECTION_PERMISSION_GRANTED") {
        outcome = permission === "INJECTION_PERMISSION_SERVICE_DISABLED"
          ? "This server does not allow injected speech." : "The media client has refused.";
        return;
      }
      show(this.progress, "Speaking");
      const { injected } = await call("InjectSpeech", [
        { start: { name: this.name } }, { text: this.text.value }], signal);
      outcome = `${parseFloat(injected ?? "0").toFixed(1)} s were heard.`;
      this.text.value = "";
    });
    show(this.progress, signal.aborted ? "Stopped." : outcome);
    this.speech = null;
    this.speak.disabled = false;
    this.stop.hidden = true;
  }

  /** The name by which questions know this page. */
  get client() {
    return credentials.name;
  }

  async attempt(action) {
    show(this.problem, "");
    try {
      await action();
    } catch (error) {
      // A person has stopped the speech.
      if (this.speech?.signal.aborted) return;
      const isLost = error instanceof TypeError || error.name === "TimeoutError";
      show(this.problem, isLost ? "The server did not answer." : error.message);
      if (this.session) this.show(this.session);
    }
  }
}
