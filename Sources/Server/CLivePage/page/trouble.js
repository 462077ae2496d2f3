// The troubles of a session, in words.
import { words } from "./elements.js";

/** Returns the troubles of a session, the gravest first. Empty if nothing is known to be wrong. */
export function troublesOf(session) {
  return [
    session.reduced ? "reduced" : "",
    session.echoConverged === false ? "not converged" : "",
    ...(session.problems ?? []).map((problem) => words(problem, "PROBLEM_")),
  ].filter(Boolean);
}

/** Returns the parts of a session that only its statistics tell. They follow the rules of the list. */
export function healthOf({ reduced = false, echo = {} }, { config, route }) {
  const { echoCancellation, bypassed } = config?.voiceProcessing ?? {};
  const isCancelled = echoCancellation?.enabled && !bypassed && !route?.output?.headphones;
  const isKnown = isCancelled && echo.heardReductionDb !== undefined;
  return { reduced, echoConverged: isKnown ? echo.converged ?? false : undefined };
}
