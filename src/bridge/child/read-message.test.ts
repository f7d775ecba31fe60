import { describe, expect, it } from "vitest";
import { paramsOf, readMessage } from "./read-message.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const filler = "x".repeat(5000);

/** Each message small, and so large that it is only peeked at. */
const sizes = [
  { size: "small", grown: (message: object) => message },
  { size: "large", grown: (message: object) => ({ filler, ...message }) },
];

describe.each(sizes)("a $size message", ({ grown }) => {
  const read = (message: object) => readMessage(bytesOf(JSON.stringify(grown(message))));

  it("[IPC-30] is a request, with its own bytes, its id, its method and the tool that it calls", () => {
    const text = JSON.stringify(
      grown({
        jsonrpc: "2.0",
        id: 3,
        method: "tools/call",
        params: { name: "add", arguments: {} },
      }),
    );
    const bytes = bytesOf(text);
    expect(readMessage(bytes)).toEqual({
      ok: true,
      message: { kind: "request", bytes, id: 3, method: "tools/call", name: "add" },
    });
  });

  it.each([0, -7, "", "abc", Number.MAX_SAFE_INTEGER])("has the id %j", (id) => {
    expect(read({ jsonrpc: "2.0", id, method: "ping" })).toMatchObject({ message: { id } });
    expect(read({ jsonrpc: "2.0", id, result: {} })).toMatchObject({
      message: { kind: "response", id },
    });
  });

  it("is a notification without an id", () => {
    expect(read({ jsonrpc: "2.0", method: "notifications/initialized" })).toMatchObject({
      ok: true,
      message: { kind: "notification", method: "notifications/initialized" },
    });
  });

  it("is a response with result or error; an error may have no id", () => {
    const response = { ok: true, message: { kind: "response", id: undefined } };
    expect(read({ jsonrpc: "2.0", id: null, error: {} })).toMatchObject(response);
    expect(read({ jsonrpc: "2.0", error: {} })).toMatchObject(response);
  });

  it.each([
    ["no version", { id: 1, method: "ping" }],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }],
    ["neither method nor answer", { jsonrpc: "2.0", id: 1 }],
    ["a method that is no string", { jsonrpc: "2.0", id: 1, method: 7 }],
    ["a method that is null", { jsonrpc: "2.0", id: 1, method: null }],
    ["an id that is null", { jsonrpc: "2.0", id: null, method: "ping" }],
    ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }],
    ["an id that is a fraction", { jsonrpc: "2.0", id: 1.5, method: "ping" }],
    ["an id that would be rounded", { jsonrpc: "2.0", id: 2 ** 60, method: "ping" }],
    ["a response's id that is an array", { jsonrpc: "2.0", id: [1], result: {} }],
  ])("[IPC-15] is refused with %s", (_, message) => {
    expect(read(message)).toMatchObject({ ok: false, error: { code: "invalid_request" } });
  });

  it.each(["{", "", "\u0000", '{"a":1}}', "nonsense"])(
    "[IPC-15] is refused when it ends in %j",
    (end) => {
      const text = JSON.stringify(grown({ jsonrpc: "2.0", id: 1 })).slice(0, -1) + end;
      expect(readMessage(bytesOf(text))).toMatchObject({
        ok: false,
        error: { code: "parse_error" },
      });
    },
  );

  it("[IPC-15] is refused as part of a batch", () => {
    const text = JSON.stringify([grown({ jsonrpc: "2.0", id: 1, method: "ping" })]);
    const refused = { ok: false, error: { code: "invalid_request" } };
    expect(readMessage(bytesOf(text))).toMatchObject(refused);
  });
});

describe("paramsOf", () => {
  it.each([
    ['{"params":{"a":1}}', { a: 1 }],
    ['{"params":[1]}', undefined],
    ['{"params":null}', undefined],
    ["{}", undefined],
    ["no JSON", undefined],
  ])("of %s are %j", (text, params) => {
    const message = { kind: "notification", method: "m", bytes: bytesOf(text) } as const;
    expect(paramsOf(message)).toEqual(params);
  });
});
