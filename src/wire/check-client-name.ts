import { errorOf } from "./errors.ts";

/** Who decided, in records, when a rule of the policy did. No client has this name. */
export const POLICY = "policy";

/** The word itself, not the beginning of another one; people would read it as "by policy". */
const saysPolicy = /^policy(?![\p{L}\p{N}_-])/iu;

/** It stands in lines of records and on terminals. */
const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;

/**
 * The name under which a client appears in records of decisions.
 *
 * @param taken names of other parties
 * @throws `invalid_params` for a name that could be taken for the policy or for one of those, and for one that is not one
 * line of text.
 */
export function checkClientName(name: string, taken: Iterable<string> = []): string {
  const seen = asSeen(name);
  if (seen === "" || !oneLine.test(name)) {
    throw errorOf("invalid_params", `A client cannot be called ${JSON.stringify(name)}.`, {
      hint: "Use one line of text that can be seen.",
    });
  }
  const isTaken = [...taken].some((other) => asSeen(other) === seen);
  if (!isTaken && !saysPolicy.test(seen)) return name;
  throw errorOf("invalid_params", `A client cannot be called ${JSON.stringify(name)}.`, {
    hint: "Use the name of the person or program that decides; policy, and the names of the team's agents, are taken.",
  });
}

/** Without invisible characters. */
const asSeen = (name: string): string => name.replaceAll(/\p{C}/gu, "").trim().toLowerCase();
