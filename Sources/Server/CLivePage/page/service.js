// Calls of anechoic.v1.SessionService, with messages in JSON.

const key = "anechoic-token";
const base = "anechoic.v1.SessionService/";
/** The name that the page gives itself where the server asks for no credentials. */
const clientName = "live page";
/** The milliseconds after which a call without an answer, or a stream without a message, counts as lost. */
export const patience = 2000;
/** The milliseconds that a connection must last to count as a success. */
const shortConnection = 1000;
/** The milliseconds before the next attempt after a minute without a server, and after a refusal for good. */
const longPause = 5000;
const lostCodes = ["UNAVAILABLE", "CANCELLED", "INTERNAL", "UNKNOWN", "DEADLINE_EXCEEDED"];
const codesForGood = ["INVALID_ARGUMENT", "UNIMPLEMENTED", "UNAUTHENTICATED", "PERMISSION_DENIED"];

/** The status with which the server refused or ended a call. */
export class ServiceError extends Error {
  constructor({ code, message = code, reason = "", retryDelay = "0s" }) {
    super(message);
    this.code = code;
    this.reason = reason;
    /** The milliseconds after which the server asks to try again: at most a minute. */
    this.retryDelay = Math.min(Math.max(parseFloat(retryDelay) * 1000 || 0, 0), 60000);
  }
}

/** The times between attempts, as the rules for clients have them: docs/reference/clients.md. */
export class Retries {
  #attempts = 0;
  #since = 0;
  #answeredSince;

  /** Notes that the server answers. */
  succeeded(now = performance.now()) {
    this.#answeredSince ??= now;
  }

  /**
   * Returns the milliseconds before the next attempt: 100, 200, 400 and 500, and up to 5 s after a minute or a refusal
   * for good. At least the time for which the server asked when it refused the last one. The times go on to grow if
   * the server has answered for less than a second.
   */
  next(error, now = performance.now(), random = Math.random()) {
    if (now - this.#answeredSince >= shortConnection) this.#attempts = 0;
    this.#answeredSince = undefined;
    if (this.#attempts === 0) this.#since = now;
    const longest = now - this.#since < 60000 ? 500 : longPause;
    const own = codesForGood.includes(error?.code) ? longPause : Math.min(100 * 2 ** this.#attempts++, longest);
    return Math.max(own * (0.7 + 0.6 * random), (error?.retryDelay ?? 0) * (1 + 0.3 * random));
  }
}

/** Whether a call ended because its connection was lost. The server's own errors have a reason. */
export function isLost(error) {
  return !(error instanceof ServiceError) || (!error.reason && lostCodes.includes(error.code));
}

/** Returns a token as a person has pasted it, without `Bearer` and white space. */
export function pasted(text) {
  return text.replace(/\s/g, "").replace(/^Bearer/i, "");
}

/** What the page says about a token that cannot be sent. */
export const notAToken = "A token has letters, digits and signs such as . - and _ only. Paste it without quotes.";

export const credentials = {
  /** Whether a header can have the token. */
  get canBeSent() {
    return /^[!-~]*$/.test(this.token);
  },
  get token() {
    return sessionStorage.getItem(key) ?? "";
  },
  set token(value) {
    if (value) sessionStorage.setItem(key, value);
    else sessionStorage.removeItem(key);
  },
  /** The client as the token names it. The server decides what counts. */
  get claims() {
    try {
      const part = this.token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
      const bytes = Uint8Array.from(atob(part), (character) => character.charCodeAt(0));
      const claims = JSON.parse(new TextDecoder().decode(bytes));
      return typeof claims === "object" && claims !== null ? claims : {};
    } catch {
      return {};
    }
  },
  /** The name of the principal of this page. */
  get name() {
    return this.token ? String(this.claims.sub ?? "") : clientName;
  },
};

/** Returns the answer of a method. Without `signal`, the call is given up after a few seconds. */
export async function call(method, request, signal = AbortSignal.timeout(patience)) {
  const lines = Array.isArray(request) ? request : [request];
  const response = await post(method, lines.map((line) => JSON.stringify(line)).join("\n"), signal);
  return response.json();
}

/** Watches a session until it ends. `receive` gets each message. Throws if the stream is lost. */
export async function watch(request, receive, signal) {
  const lost = new AbortController();
  let timer = setTimeout(() => lost.abort(), patience);
  const body = (await post(
    "WatchSession", JSON.stringify(request), AbortSignal.any([signal, lost.signal]))).body;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) throw new TypeError("the stream has ended without a status");
      clearTimeout(timer);
      timer = setTimeout(() => lost.abort(), patience);
      text += value;
      const parts = text.split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const { type, message } = parsed(part);
        if (type !== "end") receive(message);
        else if (message.code === "OK") return;
        else throw new ServiceError(message);
      }
    }
  } finally {
    clearTimeout(timer);
    lost.abort();
  }
}

function parsed(event) {
  let [type, data] = ["message", ""];
  for (const line of event.split("\n")) {
    if (line.startsWith("event: ")) type = line.slice(7);
    if (line.startsWith("data: ")) data += line.slice(6);
  }
  return { type, message: JSON.parse(data) };
}

async function post(method, body, signal) {
  const headers = { "content-type": "application/json", "anechoic-client": clientName };
  if (credentials.token) headers.authorization = `Bearer ${credentials.token}`;
  const response = await fetch(base + method, {
    method: "POST", headers, body, signal, cache: "no-store", credentials: "omit",
    redirect: "error",
  });
  if (response.ok) return response;
  const text = await response.text();
  try {
    throw new ServiceError(JSON.parse(text));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError({ code: `HTTP ${response.status}`, message: text.trim() || undefined });
  }
}
