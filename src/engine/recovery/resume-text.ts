import type { JsonValue } from "../../wire/json.ts";
import type { OpenCall } from "./open-call.ts";
import { cutText } from "../../text/cut-text.ts";

/** Enough of a call's input or result to recognise it. */
const MAX_CHARS = 400;

export const continueText = "Continue from where you left off.";

/** Tells the model which calls may have run; undefined if there are none. */
export function resumeText(open: readonly OpenCall[]): string | undefined {
  return open.some(mayHaveRun) ? textAbout(open) : undefined;
}

export function textAbout(open: readonly OpenCall[]): string {
  return [
    "The session was interrupted and goes on now. Tool calls whose results you have not seen:",
    ...open.map(
      (call) => `- ${call.tool} ${brief(call.input)} [${call.request_id}]: ${fateOf(call)}`,
    ),
    `Check the effect of what was started before you repeat it. ${continueText}`,
  ].join("\n");
}

/** Ids of the calls that such a text names. */
export const callsNamedIn = (words: string): string[] =>
  [...words.matchAll(/^- .* \[([^\]\s]+)\]: (?:ran|was|may|did) /gm)].flatMap(([, id = ""]) => id);

const mayHaveRun = ({ decision }: OpenCall): boolean =>
  decision === undefined || decision === "allowed";

function fateOf({ decision, result }: OpenCall): string {
  if (decision === "denied" || decision === "none") return "did not run";
  if (result !== undefined) return `ran to its end; its result was ${brief(result)}`;
  return decision === "allowed"
    ? "was started, its outcome is unknown"
    : "may have run, its outcome is unknown";
}

function brief(value: JsonValue): string {
  const text = JSON.stringify(value);
  return cutText(text, MAX_CHARS);
}
