import { readFileSync } from "node:fs";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import { isObject } from "./is-json-object.ts";

/** A tool as `tools/list` returns it. Fields that the bridge does not use are passed on unchanged. */
export interface AnnouncedTool {
  name: string;
  description: string;
  inputSchema: object;
  outputSchema?: object;
  title?: unknown;
  annotations?: unknown;
  _meta?: unknown;
}

export interface SchemaFile {
  readonly text: string;
  readonly tools: readonly AnnouncedTool[];
  /** Names of the tools whose calls may be sent again. */
  readonly idempotent: ReadonlySet<string>;
}

/**
 * Reads the file again. Checks by hand what an MCP client would fail on: loading a library for that would take longer
 * than the rest of the start.
 *
 * @throws `bridge_startup` when the file is missing, or is not a list of tools.
 */
export function readToolFile(path: string): SchemaFile {
  const text = readText(path);
  const tools: AnnouncedTool[] = [];
  const names = new Set<string>();
  const idempotent = new Set<string>();
  try {
    for (const [index, entry] of listOf(text).entries()) {
      const tool = announce(entry, `[${index}]`);
      demand(!names.has(tool.name), `[${index}].name`, `a new name; ${tool.name} was there before`);
      names.add(tool.name);
      tools.push(tool);
      if (isObject(entry) && entry["idempotent"] === true) idempotent.add(tool.name);
    }
  } catch (cause) {
    throw noToolList(path, cause);
  }
  return { text, tools, idempotent };
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw errorOf("bridge_startup", `The schema file ${path} cannot be read: ${reasonOf(cause)}.`, {
      hint: "The program that offers the tools writes it. Check that it is running.",
      cause,
    });
  }
}

function listOf(text: string): unknown[] {
  demand(text.length <= MAX_MESSAGE_BYTES, "the file", `at most ${MAX_MESSAGE_BYTES} characters`);
  const list: unknown = JSON.parse(text);
  demand(Array.isArray(list), "the file", "an array");
  return list;
}

function announce(entry: unknown, path: string): AnnouncedTool {
  demand(isObject(entry), path, "an object");
  const { name, description, input_schema, output_schema, title, annotations, _meta } = entry;
  demand(typeof name === "string" && name !== "", `${path}.name`, "a name");
  demand(typeof description === "string", `${path}.description`, "a string");
  return {
    name,
    title,
    description,
    inputSchema: schemaOfObjects(input_schema, `${path}.input_schema`),
    ...(output_schema !== undefined && {
      outputSchema: schemaOfObjects(output_schema, `${path}.output_schema`),
    }),
    annotations,
    _meta,
  };
}

/** A JSON Schema may omit the type; MCP requires it. */
function schemaOfObjects(schema: unknown, path: string): object {
  demand(isObject(schema), path, "a JSON Schema");
  const { type = "object" } = schema;
  demand(type === "object", `${path}.type`, '"object"');
  return { ...schema, type };
}

function demand(holds: boolean, path: string, expected: string): asserts holds {
  if (!holds) throw new TypeError(`${path}: expected ${expected}`);
}

function noToolList(path: string, cause: unknown): ClaudeCodeError {
  const message = `The schema file ${path} is not a list of tools: ${reasonOf(cause)}.`;
  return errorOf("bridge_startup", message, {
    hint: "It is a JSON array of objects with name, description and input_schema.",
    cause,
  });
}

const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);
