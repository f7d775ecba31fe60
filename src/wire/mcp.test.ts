import { expect, expectTypeOf, test } from "vitest";
import type { JsonRpcNotification, JsonRpcRequest } from "./mcp.ts";
import { parseJsonRpcMessage } from "./mcp.ts";

test("a broken envelope is invalid_request, as JSON-RPC demands", () => {
  for (const value of [{ id: 1, method: "ping" }, { jsonrpc: "2.0", id: 1 }, [], 1]) {
    expect(parseJsonRpcMessage(value)).toMatchObject({
      ok: false,
      error: { code: "invalid_request" },
    });
  }
});

test("params are open and handed on as they are", () => {
  const params = { name: "add", arguments: { a: 1 }, _meta: { "claudecode/toolUseId": "toolu_1" } };
  const result = parseJsonRpcMessage({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  expect(result.ok && "params" in result.value && result.value.params).toBe(params);
});

test("the fields that are there tell the four kinds apart", () => {
  const result = parseJsonRpcMessage({ jsonrpc: "2.0", id: 0, method: "ping" });
  if (!result.ok) throw result.error;
  const message = result.value;
  if (!("method" in message)) throw new Error("It is a request.");
  expectTypeOf(message).toEqualTypeOf<JsonRpcRequest | JsonRpcNotification>();
  expect(message.id).toBe(0);
});
