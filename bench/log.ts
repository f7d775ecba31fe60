import type { Suite } from "./harness.ts";
import { compareDeltas, surveyAttach, surveyReplay } from "./session/log.ts";

/** The session's log alone. */
export default function logSuite(): Suite {
  return { comparisons: [compareDeltas()], surveys: [surveyReplay(), surveyAttach()] };
}
