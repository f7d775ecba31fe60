import { isDeepStrictEqual } from "node:util";
import type { ProposedCall, Veto } from "../engine/index.ts";
import { createLogger } from "../log/logger.ts";
import type { JsonObject, JsonValue } from "../wire/json.ts";
import { givenName } from "./toolset.ts";

const log = createLogger({ name: "model" });

/** The required value of a parameter, or a function that returns `true`, synchronously, for an allowed value. */
export type Restriction =
  | JsonValue
  | ((value: JsonValue | undefined, input: JsonObject) => boolean);

/** By the tool's name, then by the parameter's. */
export type ParameterRestrictions = Record<string, Record<string, Restriction>>;

/**
 * Refuses calls whose parameters violate a restriction; the model is told what is allowed.
 *
 * @param toolset whose tools may also be named without `mcp__<toolset>__`.
 */
export function vetoOf(restrictions: ParameterRestrictions, toolset?: string): Veto {
  return (call) => {
    const { tool } = call;
    const rules = namesOf(tool, toolset).flatMap((name) =>
      Object.entries(restrictions[name] ?? {}),
    );
    const broken = rules.filter(([parameter, rule]) => !fits(parameter, rule, call));
    if (broken.length === 0) return undefined;
    return `${tool} did not run. ${broken.map(tell).join(" ")} Call it again accordingly.`;
  };
}

function namesOf(tool: string, toolset: string | undefined): string[] {
  const given = toolset === undefined ? undefined : givenName(toolset, tool);
  return given === undefined ? [tool] : [tool, given];
}

function fits(parameter: string, rule: Restriction, { tool, input }: ProposedCall): boolean {
  if (typeof rule !== "function") return isDeepStrictEqual(input[parameter], rule);
  const refuse = (err: unknown): boolean => {
    log.warn({ err, tool, parameter }, "A restriction failed. The call is refused.");
    return false;
  };
  try {
    const answer: unknown = rule(input[parameter], input);
    if (!(answer instanceof Promise)) return answer === true;
    // Waiting for it could take until the question has lapsed, and the call goes ahead.
    answer.catch(() => {});
    return refuse(new TypeError("It returned a promise, which is not awaited."));
  } catch (thrown) {
    return refuse(thrown);
  }
}

function tell([parameter, restriction]: [string, Restriction]): string {
  if (typeof restriction === "function") return `Its ${parameter} is not allowed.`;
  return `Its ${parameter} must be ${JSON.stringify(restriction)}.`;
}
