// The problems that a person can meet on this page, in words.

/** Returns a title and an advice for an error of the microphone. */
export function microphoneProblem(error) {
  switch (error.name) {
    case "NotAllowedError":
    case "SecurityError":
      return ["The microphone is blocked",
        "Allow the microphone for this page in the address bar of your browser, or in its settings, and try again."];
    case "NotFoundError":
    case "OverconstrainedError":
      return ["There is no microphone", "Connect a microphone, and try again."];
    case "NotReadableError":
    case "AbortError":
      return ["The microphone does not start", "Another program may use it. Close that program, and try again."];
    default:
      return ["The sound does not start", error.message || "The browser gave no reason."];
  }
}

/** Returns a title and an advice for a browser that cannot run this page. Nothing if it can. */
export function browserProblem() {
  if (!window.isSecureContext) {
    return ["The browser does not give this page a microphone",
      `Browsers do so only over HTTPS, and on the server's own machine at http://localhost:${location.port}/try. Open `
      + "the page there, or put a proxy with TLS in front of the server."];
  }
  if (!navigator.mediaDevices?.getUserMedia || !window.AudioWorkletNode || !window.WebSocket) {
    return ["This browser is too old", "The page needs AudioWorklet, getUserMedia and WebSocket."];
  }
  return undefined;
}

/** Returns a title and an advice for a status with which the server refused a session. */
export function refusal(error) {
  switch (error.code) {
    case "RESOURCE_EXHAUSTED": return ["The server is full", `${error.message}. Try again later.`];
    case "PERMISSION_DENIED": return ["The server refuses this", error.message];
    default: return ["The session has ended", error.message];
  }
}
