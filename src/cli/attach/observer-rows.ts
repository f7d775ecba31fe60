import { errorOf } from "../../wire/errors.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { Paint } from "./terminal-formats.ts";
import { headOf } from "./request-choices.ts";
import { wrap } from "./text-width.ts";

/** What an observer can do elsewhere. */
export interface Elsewhere {
  /** The command that answers a request; none when the request is one of the past. */
  readonly decide: (request: PendingRequest) => string | undefined;
  /** How to say something to the session. */
  readonly speak: string;
}

/** A request, for an observer who cannot answer it here. */
export function watchedRows(
  request: PendingRequest,
  { decide }: Elsewhere,
  { paint, columns }: { paint: Paint; columns: number },
): string[] {
  const head = paint(["yellow", "bold"], headOf(request, columns));
  const command = decide(request);
  const how = command === undefined ? [] : wrap(`Decide with: ${command}`, columns, "  ");
  return [head, ...how.map((row) => paint("dim", row))];
}

/** The commands of a team, in which `VERB` and `ID` stand for the action and the request. */
export const byCommand =
  (template: string): Elsewhere["decide"] =>
  ({ type, request_id }) => {
    const command = (verb: string) =>
      template.replaceAll("VERB", verb).replaceAll("ID", request_id);
    if (type === "elicitation") return `${command("answer")} NAME=VALUE  or: ${command("deny")}`;
    return type === "question"
      ? `${command("answer")} ANSWER`
      : `${command("approve")}  or: ${command("deny")}`;
  };

/** Why what a person enters is not sent. */
export const onlyWatched = ({ speak }: Elsewhere): Error =>
  errorOf("read_only", "You can only watch this session here.", { hint: speak });
