import type { JsonObject } from "../../wire/json.ts";
import type { ChangeProblem } from "../../wire/session/file-change.ts";
import { curlAs, straighten } from "./match-curly-quotes.ts";

/** The text after an edit, or why Claude Code would refuse it. */
export type Edited = { readonly text: string } | { readonly problem: ChangeProblem };

/** Replaces a text as Claude Code's Edit does. `before` has LF as line ends. */
export function applyEdit(before: string, input: JsonObject): Edited {
  const { old_string, new_string, replace_all } = input;
  const old = lineFeeds(old_string);
  const fresh = lineFeeds(new_string);
  if (old === "") return before.trim() === "" ? { text: fresh } : { problem: "exists" };
  const found = actualText(before, old);
  if (found === undefined) return { problem: "no_match" };
  const comes = found === old ? fresh : curlAs(found, fresh);
  const isAll = replace_all === true;
  if (!isAll && before.indexOf(found) !== before.lastIndexOf(found)) {
    return { problem: "several_matches" };
  }
  // Where a text goes away without a successor, its line goes too.
  const isLine = comes === "" && !found.endsWith("\n") && before.includes(`${found}\n`);
  const goes = isLine ? `${found}\n` : found;
  const text = isAll ? before.replaceAll(goes, () => comes) : before.replace(goes, () => comes);
  return { text };
}

const lineFeeds = (value: unknown): string =>
  typeof value === "string" ? value.replaceAll("\r\n", "\n") : "";

function actualText(text: string, wanted: string): string | undefined {
  if (text.includes(wanted)) return wanted;
  const at = straighten(text).indexOf(straighten(wanted));
  return at < 0 ? undefined : text.slice(at, at + wanted.length);
}
