import type { SessionAnswerOf } from "../../wire/session-answers.ts";
import { SESSION_PROTOCOL_VERSION } from "../../wire/version.ts";
import type { House } from "./house.ts";

/** The first line that a client receives. */
export function initAnswer(
  { session, about }: House,
  { readOnly, client }: { readOnly: boolean; client: string },
): SessionAnswerOf<"init"> {
  return {
    type: "init",
    protocol: SESSION_PROTOCOL_VERSION,
    version: about.version,
    ...(session.cliVersion !== undefined && { cli_version: session.cliVersion }),
    read_only: readOnly,
    rehearsal: about.rehearsal,
    client,
    ...session.status(),
  };
}
