// The questions that wait for an answer. Only the media client of the session can answer them.
import { element } from "./elements.js";
import { Questions } from "./events.js";

export class QuestionList {
  /** `left` is called when a person has hidden a question. */
  constructor(controls, left) {
    this.controls = controls;
    this.left = left;
    this.questions = new Questions();
    this.hidden = new Set();
    this.node = element("div", { className: "questions" });
  }

  /** Takes an event, which may ask or answer a question. `owner` is the media client. */
  note(event, owner) {
    if (this.questions.note(event)) this.draw(owner || "the media client");
  }

  draw(owner) {
    const open = [...this.questions.open].filter(([id]) => !this.hidden.has(id));
    this.node.replaceChildren(...open.map(([id, question]) => {
      const [text, ...buttons] = question.kind === "injection"
        ? this.injectionQuestion(question, owner) : this.gestureQuestion(question, owner);
      const hide = element("button", { type: "button", className: "quiet" }, "Hide");
      hide.addEventListener("click", () => {
        this.hidden.add(id);
        this.draw(owner);
        this.left();
      });
      return element("div", { className: "question", role: "alert" }, ...text,
        element("div", { className: "bar" }, ...buttons, hide));
    }));
  }

  injectionQuestion({ client, usage }, owner) {
    const isOwn = client === this.controls.client;
    const text = [
      element("p", {}, element("b", {}, isOwn ? "This page" : client),
        " asks to speak into this session:"),
      element("blockquote", {}, usage),
      element("p", { className: "faint" },
        `Only the media client, ${owner}, can answer. You can close the session to injected speech.`),
    ];
    return [text, this.button("Accept no injected speech", () => this.controls.setInjection(false))];
  }

  gestureQuestion({ muted }, owner) {
    const text = [
      element("p", {}, `A button asks to ${muted ? "mute" : "unmute"} this session.`),
      element("p", { className: "faint" },
        `The media client, ${owner}, decides. You can change the mute state yourself.`),
    ];
    return [text, this.button(muted ? "Mute" : "Unmute", () => this.controls.setMute(muted))];
  }

  button(text, action) {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", action);
    return button;
  }

  /** Removes all questions, because the session has ended. */
  end() {
    this.node.replaceChildren();
  }
}
