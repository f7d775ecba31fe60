import { isDeepStrictEqual } from "node:util";
import type { JsonObject, JsonValue } from "../wire/json.ts";
import type { Veto } from "../engine/veto.ts";

/** The value that a parameter must have, or a function that says whether a value will do. */
export type Restriction =
  | JsonValue
  | ((value: JsonValue | undefined, input: JsonObject) => boolean);

/** By the tool's name, then by the parameter's. */
export type ParameterRestrictions = Record<string, Record<string, Restriction>>;

/** Refuses calls whose parameters are not as they must be; the model learns what is allowed. */
export function vetoOf(restrictions: ParameterRestrictions): Veto {
  return ({ tool, input }) => {
    const broken = Object.entries(restrictions[tool] ?? {}).filter(
      ([parameter, restriction]) => !fits(restriction, input[parameter], input),
    );
    if (broken.length === 0) return undefined;
    return `${tool} did not run. ${broken.map(tell).join(" ")} Call it again accordingly.`;
  };
}

function fits(restriction: Restriction, value: JsonValue | undefined, input: JsonObject): boolean {
  if (typeof restriction === "function") return restriction(value, input);
  return isDeepStrictEqual(value, restriction);
}

function tell([parameter, restriction]: [string, Restriction]): string {
  if (typeof restriction === "function") return `Its ${parameter} is not allowed.`;
  return `Its ${parameter} must be ${JSON.stringify(restriction)}.`;
}
