import { describe, expect, test } from "vitest";
import { readPlainCall } from "./read-plain-call.ts";

const params = { name: "add", arguments: { a: 1 } };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };

describe("a plain call", () => {
  test("is what Claude Code sends", () => {
    const meta = { progressToken: 3, "claudecode/toolUseId": "toolu_1" };
    expect(readPlainCall({ ...call, params: { ...params, _meta: meta } })).toEqual({
      id: 1,
      name: "add",
      args: { a: 1 },
      meta,
    });
  });

  test("needs no arguments", () => {
    expect(readPlainCall({ ...call, id: "x", params: { name: "add" } })).toEqual({
      id: "x",
      name: "add",
      args: {},
      meta: {},
    });
  });
});

const nested = (levels: number): object => (levels > 0 ? { in: nested(levels - 1) } : {});

describe("the library gets", () => {
  test.each<[string, unknown]>([
    ["no object", [call]],
    ["nothing", null],
    ["another method", { ...call, method: "tools/list" }],
    ["another version of JSON-RPC", { ...call, jsonrpc: "1.0" }],
    ["a notification", { jsonrpc: "2.0", method: "tools/call", params }],
    ["an id that is null", { ...call, id: null }],
    ["an id that is a fraction", { ...call, id: 1.5 }],
    ["a field that JSON-RPC does not know", { ...call, extra: 1 }],
    ["no parameters", { jsonrpc: "2.0", id: 1, method: "tools/call" }],
    ["a list of parameters", { ...call, params: [] }],
    ["no name", { ...call, params: { arguments: {} } }],
    ["a name that is no string", { ...call, params: { name: 1 } }],
    ["arguments that are a list", { ...call, params: { name: "add", arguments: [] } }],
    ["arguments that are null", { ...call, params: { name: "add", arguments: null } }],
    ["arguments nested too deep", { ...call, params: { name: "add", arguments: nested(600) } }],
    ["a parameter of another version", { ...call, params: { ...params, task: {} } }],
    ["a _meta that is a string", { ...call, params: { ...params, _meta: "m" } }],
    ["an odd progress token", { ...call, params: { ...params, _meta: { progressToken: {} } } }],
    [
      "a _meta that is the protocol's own",
      { ...call, params: { ...params, _meta: { "io.modelcontextprotocol/related-task": {} } } },
    ],
  ])("%s", (_, message) => {
    expect(readPlainCall(message)).toBeUndefined();
  });
});
