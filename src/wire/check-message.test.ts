import * as fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import type { Checked } from "./check-message.ts";
import { check, typedChecker } from "./check-message.ts";
import type { ClaudeCodeError } from "./errors.ts";

const ping = z.object({ type: z.literal("ping"), count: z.int(), tags: z.array(z.string()) });
const pong = z.object({ type: z.literal("pong") });
const parse = typedChecker("event", [ping, pong], ["pang"]);

function errorIn(result: Checked<unknown>): ClaudeCodeError {
  if (result.ok) throw new Error("The value was accepted.");
  return result.error;
}

test("check returns a valid message without its unknown fields", () => {
  expect(parse({ type: "pong", later: 1 })).toEqual({ ok: true, value: { type: "pong" } });
});

test("a wrong field is invalid_params; the message names path and rule, data all of them", () => {
  const error = errorIn(parse({ type: "ping", tags: ["a", 2] }));
  expect(error.code).toBe("invalid_params");
  expect(error.message).toBe("ping.count: expected number, but it is missing (and 1 more)");
  expect(error.data).toEqual({
    issues: [
      { path: "ping.count", rule: "expected number, but it is missing" },
      { path: "ping.tags[1]", rule: "expected string, received number" },
    ],
  });
});

test("check reports at most ten issues", () => {
  const error = errorIn(parse({ type: "ping", count: 1, tags: Array.from({ length: 50 }) }));
  expect(error.message).toMatch(/^ping\.tags\[0\]: .* \(and 49 more\)$/);
  expect(error.data?.["issues"]).toHaveLength(10);
});

test("an unknown type is method_not_found, with the known ones listed", () => {
  const error = errorIn(parse({ type: "pung" }));
  expect(error.code).toBe("method_not_found");
  expect(error.message).toBe('The event "pung" is not known.');
  expect(error.data).toEqual({ known_types: ["ping", "pong"] });
  expect(error.hint).toBe("Use one of: ping, pong.");
});

test("a reserved type says that it is reserved", () => {
  const error = errorIn(parse({ type: "pang" }));
  expect(error.code).toBe("method_not_found");
  expect(error.message).toBe('The event "pang" is reserved for a later version.');
});

test.each([null, 1, "ping", [{ type: "ping" }], {}, { type: 1 }, { type: null }])(
  "%j is an invalid_request",
  (value) => {
    expect(errorIn(parse(value)).code).toBe("invalid_request");
  },
);

test("a rule may bring its own code", () => {
  const params = { code: "message_too_large", facts: { limit: 3 } };
  const schema = z.object({ text: z.string().refine((text) => text.length < 3, { params }) });
  expect(errorIn(check(schema, { text: "long" }, "note"))).toMatchObject({
    code: "message_too_large",
    data: { limit: 3, issues: [{ path: "note.text" }] },
  });
  expect(errorIn(check(schema, { text: 1 }, "note", "invalid_request")).code).toBe(
    "invalid_request",
  );
});

test("check quotes a peer's text cut short, and without control characters", () => {
  const evil = "\u001b[2J\u009b31m\u202e\u2028\n";
  const errors = [
    errorIn(parse({ type: evil })),
    errorIn(parse({ type: "x".repeat(10_000) })),
    errorIn(check(z.record(z.string(), z.number()), { [evil]: "x" }, "map")),
  ];
  for (const { message } of errors) {
    expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(message.length).toBeLessThan(200);
  }
});

test("check throws for no value", () => {
  const typed = fc.record({ type: fc.constantFrom("ping", "pong", "x") }, { requiredKeys: [] });
  const value = fc.oneof(
    fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }),
    fc.tuple(typed, fc.dictionary(fc.string(), fc.anything())).map(([a, b]) => ({ ...b, ...a })),
  );
  const checked = fc.property(value, (any) => typeof parse(any).ok === "boolean");
  expect(() => fc.assert(checked)).not.toThrow();
});
