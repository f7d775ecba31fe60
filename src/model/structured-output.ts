import { chooseJudge } from "../bridge/tool/choose-judge.ts";
import type { SchemaSource } from "../bridge/tool/choose-judge.ts";
import type { Breach, Judge } from "../bridge/tool/judge.ts";
import { tellBreaches } from "../bridge/tool/judge.ts";
import type { EngineEvent, TurnEndedEvent } from "../engine/events.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { JsonValue } from "../wire/json.ts";
import { isRecord } from "../wire/json.ts";
import { jsonIn } from "./json-in-text.ts";

/** The tool through which Claude Code lets the model give the object. */
export const OUTPUT_TOOL = "StructuredOutput";

/** Models put the object into one of these now and then. */
const WRAPPERS = ["parameters", "parameter", "output"];
const SHOWN_CHARS = 2_000;

/** @throws `invalid_params` for a schema that cannot be used. */
export function outputJudge(source: SchemaSource): Judge {
  try {
    return chooseJudge(source, "input");
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw errorOf("invalid_params", `The output schema cannot be used: ${why}.`, {
      cause,
      hint: 'Give a zod 4 object, such as z.object({…}), or a JSON Schema with type: "object".',
    });
  }
}

/** Gathers what the model gave, and finds the object in it. */
export class OutputReader {
  readonly #judge: Judge;
  /** What it handed to the output tool, right or wrong. */
  readonly #given: JsonValue[] = [];

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  /** Whether the object can have the key, as far as the schema tells. */
  hasKey(key: string): boolean {
    const { properties } = this.#judge.schema;
    return isRecord(properties) ? Object.hasOwn(properties, key) : !WRAPPERS.includes(key);
  }

  take(event: EngineEvent): void {
    if (event.type === "tool_use" && event.tool === OUTPUT_TOOL) this.#given.push(event.input);
  }

  /**
   * The object, or what was nearly it: without a wrapper, out of a string, out of the text around it.
   *
   * @throws the turn's own error, or `output_invalid`, which shows what came.
   */
  async read(turn: TurnEndedEvent, failure: ClaudeCodeError | undefined): Promise<unknown> {
    const told = turn.structured_output === undefined ? [] : [turn.structured_output];
    const candidates = [...told, ...this.#given.toReversed(), ...jsonIn(turn.text)].flatMap(
      formsOf,
    );
    let breaches: Breach[] = [];
    for (const candidate of candidates) {
      const judgement = await this.#judge.judge(candidate);
      if (judgement.ok) return judgement.value;
      if (breaches.length === 0) breaches = judgement.breaches;
    }
    throw failureOf(failure, breaches, candidates[0] ?? turn.text);
  }
}

/** Failures after which there may be an object all the same, and after which there is none only for want of one. */
const aboutOutput = new Set(["execution_failed", "max_turns"]);

function failureOf(
  failure: ClaudeCodeError | undefined,
  breaches: Breach[],
  received: JsonValue,
): ClaudeCodeError {
  if (failure && !aboutOutput.has(failure.code)) return failure;
  const json = typeof received === "string" ? received : JSON.stringify(received);
  const shown = json.length > SHOWN_CHARS ? `${json.slice(0, SHOWN_CHARS)}…` : json;
  const why = breaches.length > 0 ? tellBreaches(breaches) : "there is no JSON object in it";
  return errorOf(
    "output_invalid",
    `The model's answer does not fit the schema: ${why}. It was: ${shown}`,
    {
      data: { received, issues: breaches.slice(0, 10).map(({ path, rule }) => ({ path, rule })) },
      ...(failure && { cause: failure }),
    },
  );
}

/** For an object that came after one that has been streamed, and has not all of its keys. */
export const cannotBecome = (received: unknown): ClaudeCodeError =>
  errorOf(
    "output_invalid",
    "The model gave the right object only after a wrong one, of which too much had been streamed.",
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
