import type * as z from "zod";
import type { JsonObject, JsonValue } from "../wire/json.ts";
import type { ScriptedAnswer } from "./answer-schema.ts";
import type { Captures } from "./text-pattern.ts";
import { groupsOf } from "./text-pattern.ts";

/**
 * `$$` is a dollar sign, `$1` a numbered group, `${name}` a named group or a fact of the request. A name has the
 * characters that JavaScript allows in a group's name.
 */
const placeholder = /\$(?:\$|(?<number>\d+)|\{(?<name>[$\p{ID_Continue}\u200c\u200d]+)\})/gu;

/** Facts of the request that every answer may use by name; a rule's own named groups win. */
export const factNames = [
  "agent",
  "model",
  "session",
  "user",
  "peer",
  "tool_result",
  "turn",
] as const;
export type Facts = Record<(typeof factNames)[number], string>;

/** The answer with every placeholder in its texts and tool inputs filled in. */
export function fillAnswer(
  answer: ScriptedAnswer,
  captures: Captures,
  facts: Facts,
): ScriptedAnswer {
  const words = new Map(Object.entries({ ...facts, ...captures.named }));
  captures.numbered.forEach((group, index) => words.set(String(index + 1), group));
  const fill = (text: string): string =>
    text.replaceAll(placeholder, (whole, number?: string, name?: string) =>
      whole === "$$" ? "$" : (words.get(number ?? name ?? "") ?? whole),
    );
  return mapTexts(answer, fill);
}

/** Reports every placeholder that nothing would fill: it would appear literally in the answer. */
export function checkPlaceholders(
  answer: ScriptedAnswer,
  patterns: string[],
  context: z.RefinementCtx,
): void {
  const groups = groupsOf(patterns);
  const known = new Set<string>([...factNames, ...groups.names]);
  mapTexts(answer, (text, path) => {
    for (const { 0: whole, groups: found } of text.matchAll(placeholder)) {
      const number = Number(found?.["number"] ?? 1);
      const isKnown = number >= 1 && number <= groups.count;
      const name = found?.["name"];
      if (whole === "$$" || (name === undefined ? isKnown : known.has(name))) continue;
      // Each needs a path of its own, because the parser writes into it.
      context.addIssue({ code: "custom", path: [...path], message: unfilled(whole, groups) });
    }
    return text;
  });
}

function unfilled(whole: string, { count, names }: { count: number; names: string[] }): string {
  const numbered = count === 0 ? "no groups" : `$1${count > 1 ? ` to $${count}` : ""}`;
  const named = [...names, ...factNames].map((name) => `\${${name}}`).join(", ");
  return `Nothing fills ${whole}: this rule has ${numbered}; by name there are ${named}. For the characters themselves write $${whole}.`;
}

type MapText = (text: string, path: PropertyKey[]) => string;

function mapTexts(answer: ScriptedAnswer, map: MapText): ScriptedAnswer {
  const { text, thinking, tools } = answer;
  return {
    ...answer,
    ...(text !== undefined && { text: map(text, ["text"]) }),
    ...(thinking !== undefined && { thinking: map(thinking, ["thinking"]) }),
    ...(tools && {
      tools: tools.map((call, index) => ({
        ...call,
        name: map(call.name, ["tools", index, "name"]),
        input: mapJson(call.input, map, ["tools", index, "input"]) as JsonObject,
      })),
    }),
  };
}

function mapJson(value: JsonValue, map: MapText, path: PropertyKey[]): JsonValue {
  if (typeof value === "string") return map(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapJson(item, map, [...path, index]));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    mapJson(item, map, [...path, key]),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}
