// What is wrong with a session, in words.
import { words } from "./elements.js";

/** Returns the troubles of a session, the gravest first. Empty if nothing is known to be wrong. */
export function troublesOf(session) {
  return [
    session.reduced ? "reduced" : "",
    session.echoConverged === false ? "not converged" : "",
    ...(session.problems ?? []).map((problem) => words(problem, "PROBLEM_")),
  ].filter(Boolean);
}
