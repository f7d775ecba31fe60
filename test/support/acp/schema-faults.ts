import { createRequire } from "node:module";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";

const schema = createRequire(import.meta.url)("@agentclientprotocol/sdk/schema/v1/schema.json") as {
  $defs: Record<string, { "x-method"?: string; "x-side"?: string }>;
};

/** One line that an agent has sent. */
export interface AgentLine {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(schema, "acp");

const compiled = new Map<string, ValidateFunction | undefined>();

/** The definition of the SDK's own schema, by method and by what the line is. */
function validatorOf(method: string, kind: "Request" | "Response" | "Notification") {
  const key = `${method} ${kind}`;
  if (!compiled.has(key)) {
    const name = Object.keys(schema.$defs).find(
      (each) => schema.$defs[each]?.["x-method"] === method && each.endsWith(kind),
    );
    compiled.set(key, name === undefined ? undefined : ajv.getSchema(`acp#/$defs/${name}`));
  }
  return compiled.get(key);
}

/** Expects that an agent has sent no line that ACP's own schema does not have. */
export function mustBeValid(
  lines: readonly AgentLine[],
  asked: ReadonlyMap<unknown, string>,
): void {
  expect(schemaFaults(lines, asked)).toEqual([]);
}

/** Sent by an editor that has no place in the stable schema. */
const EXTENSIONS = new Set(["session/fork"]);

/**
 * What is wrong with lines of an agent by ACP's own schema. @param asked the methods of the editor's requests, by their ids.
 */
function schemaFaults(lines: readonly AgentLine[], asked: ReadonlyMap<unknown, string>): string[] {
  return lines.flatMap((line) => {
    const text = JSON.stringify(line).slice(0, 300);
    if (line.jsonrpc !== "2.0") return [`no JSON-RPC 2.0: ${text}`];
    if (line.method !== undefined) {
      if (line.method.startsWith("$/"))
        return faultsOf("$/cancel_request", "Notification", line.params, text);
      return faultsOf(
        line.method,
        line.id === undefined ? "Notification" : "Request",
        line.params,
        text,
      );
    }
    if (line.error !== undefined) {
      const validate = ajv.getSchema("acp#/$defs/Error");
      return validate?.(line.error) === true
        ? []
        : [`${ajv.errorsText(validate?.errors)}: ${text}`];
    }
    const method = asked.get(line.id);
    if (method === undefined) return [`an answer to nothing: ${text}`];
    if (EXTENSIONS.has(method)) return [];
    return faultsOf(method, "Response", line.result, text);
  });
}

function faultsOf(
  method: string,
  kind: "Request" | "Response" | "Notification",
  value: unknown,
  text: string,
): string[] {
  const validate = validatorOf(method, kind);
  if (!validate) return [`no ${kind} ${method} in the schema: ${text}`];
  return validate(value) ? [] : [`${ajv.errorsText(validate.errors)}: ${text}`];
}
