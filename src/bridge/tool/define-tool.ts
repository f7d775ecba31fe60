import type * as z from "zod";
import { errorOf } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { ToolAnnotations, ToolSchema } from "../../wire/tool-schema-file.ts";
import { parseToolSchemaFile } from "../../wire/tool-schema-file.ts";
import type { SchemaSource } from "./choose-validator.ts";
import { chooseValidator } from "./choose-validator.ts";
import type { MarkedResult } from "./make-mcp-content.ts";
import type { Validator } from "./validator.ts";
import type { JsonSchema } from "./json-schema-validator.ts";
import { checkName } from "./tool-and-host-names.ts";

/** The progress of a call. `progress` must increase from one report to the next. */
export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

/** What a handler gets besides its arguments. */
export interface ToolContext {
  /** Aborts when the result is no longer needed; its reason is a typed error. */
  readonly signal: AbortSignal;
  /** Reports progress to the caller, if it wants to know. Does nothing after the call has ended. */
  readonly progress: (progress: Progress) => void;
  /** The model's own id of this call; undefined for callers other than Claude Code. */
  readonly toolUseId: string | undefined;
}

export interface ToolDefinition<
  Input extends SchemaSource,
  Output extends SchemaSource | undefined,
> {
  /** Letters, digits, `_` and `-`. The model sees it as `mcp__<host>__<name>`. */
  name: string;
  /** Tells the model what the tool does and when to use it. */
  description: string;
  /** A zod 4 schema or a JSON Schema, of an object. */
  input: Input;
  /** With it, the result is structured content and must match. */
  output?: Output;
  /** A name for people. */
  title?: string;
  /** MCP's hints. Claude Code runs calls side by side only where `readOnlyHint` is true. */
  annotations?: ToolAnnotations;
  /** Running a call twice does no harm, so it may be sent again after a lost connection. */
  idempotent?: boolean;
  /** By default a call may take any time. */
  timeoutMs?: number;
  /** Passed on as the tool's `_meta`. */
  meta?: JsonObject;
  /**
   * With a JSON Schema, declare the type of the arguments yourself. A method, because TypeScript then accepts a type
   * that is narrower than any JSON object.
   */
  handler(args: ArgumentsOf<Input>, context: ToolContext): ReturnedBy<Output>;
}

type ArgumentsOf<Input> = Input extends z.core.$ZodType ? z.output<Input> : JsonObject;

type ReturnedBy<Output> = Output extends z.core.$ZodType
  ? MaybePromise<z.input<Output> | MarkedResult>
  : Output extends JsonSchema
    ? MaybePromise<object>
    : unknown;

type MaybePromise<T> = T | Promise<T>;

/** A tool that a host can offer. Made by `defineTool`. */
export interface Tool {
  readonly name: string;
  /** As the schema file announces it. */
  readonly schema: ToolSchema;
  readonly timeoutMs: number | undefined;
  readonly input: Validator;
  readonly output: Validator | undefined;
  readonly handler: (args: unknown, context: ToolContext) => unknown;
}

/** Checks the shape: another copy of this package may have made it. */
export function isTool(value: unknown): value is Tool {
  if (typeof value !== "object" || value === null) return false;
  const { name, schema, input, handler } = value as Partial<Tool>;
  return (
    typeof name === "string" &&
    typeof schema === "object" &&
    typeof input?.validate === "function" &&
    typeof handler === "function"
  );
}

const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Describes a function that a session may call.
 *
 * @throws `tool_invalid` when the name, the time-out, a schema, the handler or another field cannot be used.
 */
export function defineTool<
  const Input extends SchemaSource,
  const Output extends SchemaSource | undefined = undefined,
>(definition: ToolDefinition<Input, Output>): Tool {
  const { name, timeoutMs } = definition;
  checkName("tool", name);
  checkTimeout(name, timeoutMs);
  checkHandler(definition);
  const input = judgeFor(name, definition.input, "input");
  const output = definition.output && judgeFor(name, definition.output, "output");
  const schema = announce(definition, input, output);
  checkAnnouncement(schema);
  return {
    name,
    schema,
    timeoutMs,
    input,
    output,
    // The validator lets only arguments through that fit the schema, from which their type was inferred.
    handler: (args, context) => definition.handler(args as ArgumentsOf<Input>, context),
  };
}

function announce(
  definition: Omit<ToolDefinition<SchemaSource, SchemaSource | undefined>, "handler">,
  input: Validator,
  output: Validator | undefined,
): ToolSchema {
  const { name, description, title, annotations, idempotent, meta } = definition;
  return {
    name,
    description,
    input_schema: input.schema,
    ...(title !== undefined && { title }),
    ...(output && { output_schema: output.schema }),
    ...(annotations && { annotations }),
    ...(idempotent !== undefined && { idempotent }),
    ...(meta && { _meta: meta }),
  };
}

function judgeFor(tool: string, source: SchemaSource, io: "input" | "output"): Validator {
  try {
    return chooseValidator(source, io);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("tool_invalid", `The ${io} schema of the tool ${tool} cannot be used: ${why}.`, {
      cause,
      hint: 'Give a zod 4 object, such as z.object({…}), or a JSON Schema with type: "object".',
    });
  }
}

function checkTimeout(tool: string, timeoutMs: number | undefined): void {
  if (timeoutMs === undefined || (timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS)) return;
  const bounds = `above 0 and at most ${MAX_TIMEOUT_MS} ms`;
  throw errorOf("tool_invalid", `The time-out of the tool ${tool} is ${timeoutMs}, not ${bounds}.`);
}

function checkHandler({ name, handler }: { name: string; handler: unknown }): void {
  if (typeof handler === "function") return;
  throw errorOf("tool_invalid", `The handler of the tool ${name} is not a function.`, {
    hint: "Pass the function that does the work: handler: (args, context) => …",
  });
}

/** For callers without TypeScript. */
function checkAnnouncement(schema: ToolSchema): void {
  const checked = parseToolSchemaFile([schema]);
  if (checked.ok) return;
  const message = `The tool ${schema.name} cannot be announced: ${checked.error.message}.`;
  throw errorOf("tool_invalid", message, { cause: checked.error });
}
