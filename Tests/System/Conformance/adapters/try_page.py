"""The session of the page /try (session.js) in a headless Chromium, with a microphone that counts."""

from __future__ import annotations

import base64
import json
import sys
import time
from pathlib import Path

from common import PERIOD, arguments, log, tell

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Browser"))

from browser import Browser  # noqa: E402

LOOK = 0.03
"""The seconds between two looks at the page."""
RUN = """(async (options) => {
  const { Session } = await import("/try/session.js");
  const { rate, seconds, muted, muteAt, unmuteAt, period } = options;
  const [size, count] = [0.02 * rate, seconds * rate];
  const state = window.state = { told: [], output: new Int16Array(count), isOver: false };
  let [offset, sessions] = [0, 0];
  const tell = (event, more = {}) => state.told.push({ event, ...more });
  const session = new Session({ rate, mode: "MIC_MODE_STANDARD", muted, token: "" }, {
    connected: (started) => {
      if (started.resumed) tell("resumed");
      else if (sessions > 0) tell("restarted");
      sessions += started.resumed ? 0 : 1;
    },
    lost: (error) => tell("reconnecting", { message: error.message }),
    refused: (error) => { tell("failed", { reason: error.reason, message: error.message }); state.isOver = true; },
    ended: () => { tell("ended"); state.isOver = true; },
    event: ({ muteChanged }) => muteChanged && tell("muted", { muted: muteChanged.state?.muted ?? false }),
    stats: () => {},
    voiceToBeginWith: () => undefined,
    voiceprint: () => {},
    enrollmentRefused: () => {},
    modeChanged: () => {},
    audio: (first, samples) => samples.forEach((sample, index) => {
      const place = first + index + offset;
      if (place >= 0 && place < count) state.output[place] = sample;
    }),
  });
  const began = performance.now();
  let position = 0;
  const timer = setInterval(() => {
    while (!state.isOver && position < count && position <= (performance.now() - began) / 1000 * rate) {
      const at = Math.round(position / rate * 1000);
      const isTime = (when) => when && when <= at && at < when + 20;
      if (isTime(muteAt)) session.setMuted(true);
      if (isTime(unmuteAt)) session.setMuted(false);
      const microphone = Int16Array.from({ length: size }, (_, index) => 1 + (position + index) % period);
      const first = session.send(position, microphone, new Int16Array(size));
      if (first !== undefined) offset = position - first;
      position += size;
    }
    if (!state.isOver && position < count) return;
    clearInterval(timer);
    setTimeout(() => { session.end(); state.isDone = true; }, 300);
  }, 5);
})"""


def main() -> None:
    options = arguments()
    given = {"rate": options.rate, "seconds": options.seconds, "muted": options.mute_at == 0, "period": PERIOD,
             "muteAt": options.mute_at, "unmuteAt": options.unmute_at}
    with Browser() as browser:
        page = browser.open(f"http://{options.server}/")
        page.evaluate(f"{RUN}({json.dumps(given)})")
        tell("began")
        while True:
            told = page.evaluate("window.state.told.splice(0)")
            for event in told:
                tell(event.pop("event"), **event)
            if page.evaluate("window.state.isDone === true"):
                break
            time.sleep(LOOK)
        output = page.evaluate("""(() => {
          const bytes = new Uint8Array(window.state.output.buffer);
          let text = "";
          for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
          return btoa(text);
        })()""")
        Path(options.output).write_bytes(base64.b64decode(output))
        for problem in page.problems:
            log(problem)


main()
