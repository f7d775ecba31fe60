import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WireErrorSchema } from "./error-schema.ts";
import { errorCodes, errorTable } from "./error-table.ts";
import { fromWire, toIpcError, toJsonRpcError, toWire } from "./error-wire.ts";
import { ClaudeCodeError, errorOf } from "./errors.ts";
import type { JsonObject } from "./json.ts";

const anyError = fc
  .record({
    code: fc.constantFrom(...errorCodes),
    message: fc.string({ minLength: 1 }),
    hint: fc.option(fc.string(), { nil: undefined }),
    data: fc.option(fc.dictionary(fc.string(), fc.jsonValue()), { nil: undefined }),
  })
  .map(({ code, message, hint, data }) =>
    errorOf(code, message, {
      ...(hint !== undefined && { hint }),
      ...(data && { data: data as JsonObject }),
    }),
  );

describe("toWire and fromWire", () => {
  test("there and back through JSON, an error is the same, and has its class", () => {
    fc.assert(
      fc.property(anyError, (error) => {
        const wire = WireErrorSchema.parse(JSON.parse(JSON.stringify(toWire(error))));
        const back = fromWire(wire);
        expect(toWire(back)).toEqual(JSON.parse(JSON.stringify(toWire(error))));
        expect(back.name).toBe(error.name);
        expect(back).toBeInstanceOf(ClaudeCodeError);
      }),
    );
  });

  test("neither stack nor cause crosses", () => {
    const wire = toWire(errorOf("tool_failed", "x", { cause: new Error("secret") }));
    expect(Object.keys(wire)).toEqual(["code", "message", "retryable", "hint"]);
    expect(JSON.stringify(wire)).not.toContain("secret");
  });

  test.each([
    ["an error of another class", new TypeError("x is not a function"), "x is not a function"],
    ["an error without a message", new Error(), "The operation failed without an error message."],
    ["a string", "out of cheese", "out of cheese"],
    ["an object with a message", { message: "from afar" }, "from afar"],
    ["a number", 42, "42"],
    ["undefined", undefined, "undefined"],
    ["an empty string", "", "The operation failed without an error message."],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    [
      "an object without a prototype",
      Object.create(null),
      "The operation failed without an error message.",
    ],
    ["an error with a strange message", Object.assign(new Error("a"), { message: 7 }), "7"],
  ])("%s becomes internal", (_, thrown, message) => {
    const { retryable, hint } = errorTable.internal;
    expect(toWire(thrown)).toEqual({ code: "internal", message, retryable, hint });
  });

  test("a code of a later version becomes internal and keeps its text", () => {
    const wire = { code: "of_tomorrow", message: "It rains.", hint: "Wait.", data: { mm: 3 } };
    expect(fromWire(wire)).toMatchObject({ ...wire, code: "internal" });
  });
});

describe("toJsonRpcError", () => {
  test("the facts stand in data beside our own code", () => {
    const data = { timeout_seconds: 30, agent_id: "middle_manager" };
    expect(toJsonRpcError(errorOf("timeout", "No answer.", { data }))).toEqual({
      code: -32001,
      message: "No answer.",
      data: {
        timeout_seconds: 30,
        agent_id: "middle_manager",
        code: "timeout",
        retryable: true,
        hint: "Try again, or allow more time.",
      },
    });
  });

  test("makes an internal error of an unknown value", () => {
    expect(toJsonRpcError("?")).toMatchObject({ code: -32603, message: "?" });
  });
});

describe("toIpcError", () => {
  class ValidationError extends Error {}
  class NamedError extends Error {
    override readonly name = "GivenName";
  }

  test.each([
    [errorOf("tool_not_found", "There is no tool x."), "ToolNotFoundError"],
    [errorOf("message_too_large", "x"), "IPCMessageSizeError"],
    [new TypeError("x"), "TypeError"],
    [new Error("x"), "Error"],
    [new ValidationError("x"), "ValidationError"],
    [new NamedError("x"), "GivenName"],
    [Object.assign(new Error("x"), { name: "" }), "Error"],
    [new DOMException("x", "AbortError"), "AbortError"],
    ["a string", "ClaudeCodeError"],
  ])("%s has the type %s", (thrown, type) => {
    expect(toIpcError(thrown).type).toBe(type);
  });

  test("it has a message and a type and nothing else", () => {
    expect(toIpcError(errorOf("tool_failed", "x", { data: { a: 1 } }))).toEqual({
      message: "x",
      type: "IPCToolExecutionError",
    });
  });
});
