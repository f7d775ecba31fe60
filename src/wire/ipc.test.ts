import { expect, expectTypeOf, test } from "vitest";
import { parseIpcRequest, parseIpcResponse } from "./ipc.ts";

test("an unknown method is method_not_found, a broken request invalid_request or invalid_params", () => {
  const codes = [{ method: "list_tools" }, {}, [], { method: "call_tool" }].map((value) => {
    const result = parseIpcRequest(value);
    return result.ok ? "ok" : result.error.code;
  });
  expect(codes).toEqual([
    "method_not_found",
    "invalid_request",
    "invalid_request",
    "invalid_params",
  ]);
});

test("an error of the contract has the class IPCError", () => {
  const result = parseIpcRequest({ method: "list_tools" });
  expect(result).toMatchObject({ ok: false, error: { name: "IPCError" } });
});

test("a checked response is a result or an error, by its one field", () => {
  const result = parseIpcResponse({ error: { message: "x", type: "Error" } });
  if (!result.ok) throw result.error;
  if (result.value.error) expectTypeOf(result.value.error.type).toEqualTypeOf<string>();
  else expectTypeOf(result.value.result.content).toBeArray();
  expect(result.value).toEqual({ error: { message: "x", type: "Error" } });
});

test("the arguments are handed on as they are", () => {
  const args = { __proto__: null, a: [1, { b: null }] };
  const result = parseIpcRequest({ method: "call_tool", params: { name: "x", arguments: args } });
  expect(result.ok && result.value.params.arguments).toBe(args);
});
