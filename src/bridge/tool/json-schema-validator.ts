import type { ErrorObject } from "ajv";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonObject } from "../../wire/json.ts";
import type { Violation, Validator } from "./validator.ts";
import { pathOf } from "./validator.ts";

/** A JSON Schema for objects: draft 2020-12, unless its `$schema` names draft-07. */
export type JsonSchema = { readonly type: "object"; readonly [keyword: string]: unknown };

// Schemas come from many authors: an unknown keyword is not a reason to refuse a tool. A field may be called
// `constructor`, which every object inherits.
const options = { strict: false, allErrors: true, ownProperties: true };
const draft07 = lazily(() => addFormats.default(new Ajv(options)));
const draft2020 = lazily(() => addFormats.default(new Ajv2020(options)));

/** @throws ajv's error when the schema is invalid. */
export function jsonSchemaValidator(source: JsonSchema): Validator {
  const ajv = String(source["$schema"]).includes("draft-07") ? draft07() : draft2020();
  const schema = structuredClone(source) as JsonObject;
  const validate = ajv.compile(schema);
  // An async schema would return a promise, which is truthy.
  if ("$async" in validate) throw new Error("$async is not a keyword of JSON Schema");
  // ajv would keep it for ever, and refuse another schema with the same $id.
  ajv.removeSchema(schema);
  return {
    schema,
    validate: (value) =>
      validate(value)
        ? { ok: true, value }
        : { ok: false, violations: (validate.errors ?? []).map(toViolation) },
  };
}

const UNKNOWN = "is not a known field";

function toViolation({ instancePath, keyword, params, message }: ErrorObject): Violation {
  const at = instancePath.split("/").slice(1).map(unescapeKey);
  switch (keyword) {
    case "required":
      return { path: pathOf([...at, params["missingProperty"]]), rule: "is missing" };
    case "additionalProperties":
      return { path: pathOf([...at, params["additionalProperty"]]), rule: UNKNOWN };
    case "unevaluatedProperties":
      return { path: pathOf([...at, params["unevaluatedProperty"]]), rule: UNKNOWN };
    case "enum":
      return { path: pathOf(at), rule: `must be one of ${shown(params["allowedValues"])}` };
    case "const":
      return { path: pathOf(at), rule: `must be ${shown(params["allowedValue"])}` };
    default:
      return { path: pathOf(at), rule: message ?? `breaks the rule ${keyword}` };
  }
}

const shown = (value: unknown): string => JSON.stringify(value);

/** JSON Pointer's escapes. */
const unescapeKey = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~");

/** Creating a validator costs some ten milliseconds, and most programs need one or none. */
function lazily<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => (made ??= make());
}
