import { badArguments } from "../call/describe-failure.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { jsonSchemaValidator } from "../tool/json-schema-validator.ts";
import type { Validator } from "../tool/validator.ts";
import type { AnnouncedTool } from "./read-schema-file.ts";

// Bundled as a file of its own, because of its library: the bridge loads it for its first call in contract mode, so
// that it does not slow down the start.

/** By the schema's text: the list of tools is read again for each call. */
const validators = new Map<string, Validator>();

/**
 * What is wrong with a call's arguments; undefined when they fit the tool's schema.
 *
 * @throws when the schema is invalid.
 */
export async function checkArguments(
  { name, inputSchema }: AnnouncedTool,
  args: object,
): Promise<ClaudeCodeError | undefined> {
  const text = JSON.stringify(inputSchema);
  const validator = validators.get(text) ?? jsonSchemaValidator({ ...inputSchema, type: "object" });
  validators.set(text, validator);
  const result = await validator.validate(args);
  return result.ok ? undefined : badArguments(name, result.violations);
}
