import type { JsonValue } from "../../wire/json.ts";
import type { OpenCall } from "./open-call.ts";

/** Enough of a call's input or result to recognise it by. */
const MAX_CHARS = 400;

export const goOn = "Continue from where you left off.";

/** Calls that may have run are told to the model, with the truth; if there are none, nothing is to tell. */
export function resumeWords(open: readonly OpenCall[]): string | undefined {
  if (!open.some(mayHaveRun)) return undefined;
  return [
    "The session was interrupted and goes on now. Tool calls whose results you have not seen:",
    ...open.map(
      (call) => `- ${call.tool} ${brief(call.input)} [${call.request_id}]: ${fateOf(call)}`,
    ),
    `Check the effect of what was started before you repeat it. ${goOn}`,
  ].join("\n");
}

/** Ids of the calls that such words tell of. */
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
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
