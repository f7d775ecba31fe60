import { basename, extname } from "node:path";
import { errorOf } from "../../wire/errors.ts";

/** `mcp__<host>__<tool>` must fit into the 128 characters that the model's API allows. */
const NAME = /^[A-Za-z0-9_-]{1,60}$/;
/** Claude Code takes it for the end of the host's name, which decides permissions. */
const SEPARATOR = "__";

/** @throws `tool_invalid`. Claude Code would replace other characters, so that two names could become one. */
export function checkName(kind: "tool" | "tool host", name: string): void {
  const isHost = kind === "tool host";
  if (typeof name === "string" && NAME.test(name) && !(isHost && name.includes(SEPARATOR))) return;
  throw errorOf("tool_invalid", `${JSON.stringify(name)} cannot be the name of a ${kind}.`, {
    hint: `Use 1 to 60 letters, digits, underscores and hyphens${isHost ? ", but no two underscores in a row" : ""}.`,
  });
}

/** The name of the host that serves a file's tools: `my_tools` for `my.tools.ts`. */
export function hostNameFrom(file: string): string {
  return basename(file, extname(file))
    .replaceAll(/[^A-Za-z0-9-]+/g, "_")
    .slice(0, 60);
}
