import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { checkArguments } from "./check-arguments.ts";
import { warnOperator } from "./warn-operator.ts";
import type { AnnouncedTool } from "./read-schema-file.ts";

type Check = typeof checkArguments;

let loaded: Check | undefined;

/** The check is beside the bridge's own file, and is loaded once. */
function load(): Check {
  const program = process.argv[1] ?? "/";
  const file = join(dirname(program), "check-arguments.cjs");
  return (createRequire(program)(file) as { checkArguments: Check }).checkArguments;
}

/**
 * What is wrong with a call's arguments, by the schema that the host announced; undefined when nothing is. When the
 * schema is not a JSON Schema, warns the operator and leaves the check to the host.
 */
export async function checkAgainstSchema(
  tool: AnnouncedTool | undefined,
  args: object,
): Promise<ClaudeCodeError | undefined> {
  if (!tool) return undefined;
  try {
    loaded ??= load();
    return await loaded(tool, args);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    warnOperator(`The arguments of ${tool.name} cannot be checked: ${why}`);
    return undefined;
  }
}
