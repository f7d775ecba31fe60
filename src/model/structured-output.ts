import { chooseValidator } from "../bridge/tool/choose-validator.ts";
import type { SchemaSource } from "../bridge/tool/choose-validator.ts";
import type { Violation, Validator } from "../bridge/tool/validator.ts";
import { describeViolations } from "../bridge/tool/validator.ts";
import type { EngineEvent, TurnEndedEvent } from "../engine/index.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { JsonValue } from "../wire/json.ts";
import { isRecord } from "../wire/json.ts";
import { jsonIn } from "./json-in-text.ts";
import { cutText } from "../text/cut-text.ts";

/** The tool through which Claude Code lets the model return the object. */
export const OUTPUT_TOOL = "StructuredOutput";

/** Models sometimes wrap the object into one of these. */
const WRAPPERS = ["parameters", "parameter", "output"];
const SHOWN_CHARS = 2_000;

/** @throws `invalid_params` for an unusable schema. */
export function outputValidator(source: SchemaSource): Validator {
  try {
    return chooseValidator(source, "input");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("invalid_params", `The output schema cannot be used: ${why}.`, {
      cause,
      hint: 'Give a zod 4 object, such as z.object({…}), or a JSON Schema with type: "object".',
    });
  }
}

/** Collects what the model returned, and finds the object in it. */
export class OutputReader {
  readonly #validator: Validator;
  /** What it passed to the output tool, valid or not. */
  readonly #given: JsonValue[] = [];

  constructor(validator: Validator) {
    this.#validator = validator;
  }

  /** Whether the object can have the key, as far as the schema says. */
  hasKey(key: string): boolean {
    const { properties } = this.#validator.schema;
    return isRecord(properties) ? Object.hasOwn(properties, key) : !WRAPPERS.includes(key);
  }

  take(event: EngineEvent): void {
    if (event.type === "tool_use" && event.tool === OUTPUT_TOOL) this.#given.push(event.input);
  }

  /**
   * The object, or nearly it: without a wrapper, out of a string, out of the text around it.
   *
   * @throws the turn's own error, or `output_invalid`, which shows what came.
   */
  async read(turn: TurnEndedEvent, failure: ClaudeCodeError | undefined): Promise<unknown> {
    const told = turn.structured_output === undefined ? [] : [turn.structured_output];
    const candidates = [...told, ...this.#given.toReversed(), ...jsonIn(turn.text)].flatMap(
      formsOf,
    );
    let violations: Violation[] = [];
    for (const candidate of candidates) {
      const result = await this.#validator.validate(candidate);
      if (result.ok) return result.value;
      if (violations.length === 0) violations = result.violations;
    }
    throw failureOf(failure, violations, candidates[0] ?? turn.text);
  }
}

/** Failures after which there may be an object nevertheless, and which may only mean that there is none. */
const aboutOutput = new Set(["execution_failed", "max_turns"]);

function failureOf(
  failure: ClaudeCodeError | undefined,
  violations: Violation[],
  received: JsonValue,
): ClaudeCodeError {
  if (failure && !aboutOutput.has(failure.code)) return failure;
  const json = typeof received === "string" ? received : JSON.stringify(received);
  const shown = cutText(json, SHOWN_CHARS);
  const why =
    violations.length > 0 ? describeViolations(violations) : "there is no JSON object in it";
  return errorOf(
    "output_invalid",
    `The model's answer does not fit the schema: ${why}. It was: ${shown}`,
    {
      data: { received, issues: violations.slice(0, 10).map(({ path, rule }) => ({ path, rule })) },
      ...(failure && { cause: failure }),
    },
  );
}

/** For an object that came after another was streamed, and lacks some of its keys. */
export const cannotBecome = (received: unknown): ClaudeCodeError =>
  errorOf(
    "output_invalid",
    "The model returned the right object only after a wrong one that had already been streamed.",
    {
      data: { received: received as JsonValue },
      hint: "The object is in the error's data.received.",
    },
  );

/** The value itself first. */
function formsOf(value: JsonValue): JsonValue[] {
  const parsed = typeof value === "string" ? jsonIn(value) : [];
  const inner = isRecord(value)
    ? WRAPPERS.filter((key) => Object.hasOwn(value, key)).map((key) => value[key] as JsonValue)
    : [];
  return [value, ...[...parsed, ...inner].flatMap(formsOf)];
}
