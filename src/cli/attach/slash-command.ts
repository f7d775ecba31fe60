import type { SessionAnswerOf } from "../../wire/session/answers.ts";
import { errorOf } from "../../wire/errors.ts";
import { similarName } from "./find-similar-name.ts";

type SlashCommands = SessionAnswerOf<"status">["slash_commands"];

/** The command that a line calls, without its slash. A path, as in `/etc/hosts is wrong`, calls none. */
export const commandIn = (line: string): string | undefined =>
  /^\/([\w:.-]+)(?=\s|$)/.exec(line)?.[1];

/**
 * Checks a line that is about to go to the model: a mistyped command would be a message that costs money. A line that
 * begins with a space is never a command.
 *
 * @param own the commands of this program. @param listed those of the session, which are unknown until its CLI has
 * started; until then only a name similar to one of `own` is refused.
 * @throws `invalid_params` when the line calls a command that does not exist.
 */
export function mustBeKnown(line: string, own: readonly string[], listed: SlashCommands): void {
  const name = commandIn(line);
  if (name === undefined) return;
  const theirs = listed?.flatMap((each) => [each.name, ...(each.aliases ?? [])]);
  if (theirs?.includes(name)) return;
  const near = similarName(name, [...own, ...(theirs ?? [])]);
  if (theirs === undefined && near === undefined) return;
  const guess = near === undefined ? "" : ` Did you mean /${near}?`;
  throw errorOf("invalid_params", `There is no command /${name}.${guess}`, {
    hint: "To send the line to the model as it is, begin it with a space. /help lists the commands.",
  });
}
