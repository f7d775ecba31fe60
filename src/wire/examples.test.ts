import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PartName } from "../../scripts/generate/json-schemas.ts";
import { parts } from "../../scripts/generate/json-schemas.ts";
import type { Checked } from "./check-message.ts";
import { check } from "./check-message.ts";
import { CommunicationLogSchema } from "./team/communication-log.ts";
import { WireErrorSchema } from "./error-schema.ts";
import { HostRequestSchema } from "./host.ts";
import { TunnelBeatSchema } from "./tunnel.ts";
import { parseIpcRequest, parseIpcResponse } from "./ipc.ts";
import type { JsonValue } from "./json.ts";
import { isRecord } from "./json.ts";
import { parseJsonRpcMessage } from "./mcp.ts";
import { parseSessionMessage, SessionAnswerSchema } from "./session/answers.ts";
import { parseCommand, SessionCommandSchema } from "./session/commands.ts";
import { SessionEventSchema } from "./session/events.ts";
import { TeamEventSchema } from "./team/events.ts";
import { TeamRequestSchema, TeamServerMessageSchema } from "./team/socket-lines.ts";
import { parseCCMessage, parseSendMessageInput } from "./team/messages.ts";
import { parseToolSchemaFile } from "./tool-schema-file.ts";

interface Examples {
  good: JsonValue[];
  bad: { why: string; value: JsonValue; beyond_json_schema?: true }[];
}

const root = join(import.meta.dirname, "../..");
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
const examplesOf = (part: string): Examples =>
  read(`test/fixtures/wire/v1/${part}.json`) as Examples;

const ajv = addFormats.default(new Ajv2020({ allowUnionTypes: true }));
const validators = Object.fromEntries(
  Object.keys(parts).map((part) => [part, ajv.compile(read(`schema/${part}.json`) as object)]),
) as Record<PartName, ValidateFunction>;

const parsers: Record<PartName, (value: unknown) => Checked<unknown>> = {
  ipc: (value) =>
    isRecord(value) && ("result" in value || "error" in value || !("method" in value))
      ? parseIpcResponse(value)
      : parseIpcRequest(value),
  "tool-schema-file": parseToolSchemaFile,
  "own-mode": parseJsonRpcMessage,
  "session-commands": parseCommand,
  "session-events": parseSessionMessage,
  "team-requests": (value) => check(TeamRequestSchema, value, "request"),
  "team-events": (value) => check(TeamServerMessageSchema, value, "message"),
  "team-message": parseCCMessage,
  "send-message": parseSendMessageInput,
  "communication-log": (value) => check(CommunicationLogSchema, value, "entry"),
  "tunnel-beat": (value) => check(TunnelBeatSchema, value, "beat"),
  "host-requests": (value) => check(HostRequestSchema, value, "request"),
  error: (value) => check(WireErrorSchema, value, "error"),
};

describe.each(Object.keys(parts) as PartName[])("the examples of %s", (part) => {
  const { good, bad } = examplesOf(part);
  const validate = validators[part];
  const parse = parsers[part];

  test.each(good.map((value) => [JSON.stringify(value).slice(0, 80), value]))(
    "accepts %s",
    (_, value) => {
      expect(parse(value)).toMatchObject({ ok: true });
      expect(parts[part].schema.safeParse(value).success).toBe(true);
      validate(value);
      expect(validate.errors).toBe(null);
    },
  );

  test.each(bad.map((example) => [example.why, example] as const))(
    "refuses: %s",
    (why, example) => {
      const result = parse(example.value);
      expect(result.ok ? "accepted" : result.error.message).toContain(why);
      expect(parts[part].schema.safeParse(example.value).success).toBe(false);
      expect(validate(example.value)).toBe(example.beyond_json_schema ?? false);
    },
  );

  test("zod, the parser and the JSON Schema agree on every example with one part changed", () => {
    fc.assert(
      fc.property(mutant(good), (value) => {
        const verdict = parse(value).ok;
        expect(parts[part].schema.safeParse(value).success).toBe(verdict);
        expect(validate(value)).toBe(verdict);
      }),
      { numRuns: 1000 },
    );
  });
});

test("there are examples for every part and for no other", () => {
  const names = readdirSync(join(root, "test/fixtures/wire/v1"));
  expect(new Set(names)).toEqual(new Set(Object.keys(parts).map((part) => `${part}.json`)));
});

test.each([
  ["command", SessionCommandSchema, examplesOf("session-commands").good],
  ["event", SessionEventSchema, examplesOf("session-events").good.filter((value) => hasSeq(value))],
  ["team event", TeamEventSchema, examplesOf("team-events").good.filter((value) => hasSeq(value))],
  [
    "answer",
    SessionAnswerSchema,
    examplesOf("session-events").good.filter((value) => !hasSeq(value)),
  ],
] as const)("every type of %s has a good example", (_, union, good) => {
  const known = union.options.map((option) => option.shape.type.value);
  const shown = good.map((value) => isRecord(value) && value["type"]);
  expect(new Set(shown)).toEqual(new Set(known));
});

function hasSeq(value: JsonValue): boolean {
  return isRecord(value) && "seq" in value;
}

/** Values that are right for some field and wrong for another. */
const replacements: JsonValue[] = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  1e300,
  "",
  "x",
  "2.0",
  "once",
  "object",
  [],
  {},
  ["x"],
  [{}],
  "2026-11-15T22:41:00.000Z",
  "2026-11-15T22:41:00+09:00",
  "5f0c8f9e-6d0a-4a52-9d4e-0b1f6f0a7c11",
  "x".repeat(201),
  { blob: "b", bytes: 1, preview: "" },
  { type: "text", text: "x" },
];

/** A good example in which one field or element, at any depth, is removed or replaced. */
function mutant(good: JsonValue[]): fc.Arbitrary<JsonValue> {
  return fc
    .constantFrom(...good)
    .chain((value) =>
      fc
        .tuple(fc.constantFrom(...pathsOf(value)), fc.option(fc.constantFrom(...replacements)))
        .map(([path, replacement]) => changed(value, path, replacement ?? undefined)),
    );
}

function pathsOf(value: JsonValue): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  const below = Object.entries(value).flatMap(([key, child]) =>
    pathsOf(child).map((path) => [key, ...path]),
  );
  return [[], ...below, ["a_new_field"]];
}

function changed(value: JsonValue, path: string[], replacement: JsonValue | undefined): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replacement ?? null;
  const copy = structuredClone(value) as Record<string, JsonValue>;
  if (rest.length > 0) copy[key] = changed(copy[key] as JsonValue, rest, replacement);
  else if (replacement !== undefined) copy[key] = replacement;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}
