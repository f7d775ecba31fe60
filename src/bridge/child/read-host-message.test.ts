import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHostMessage } from "./read-host-message.ts";
import { readMessage } from "./read-message.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const filler = "x".repeat(5000);

describe("readHostMessage", () => {
  it.each([0, 7, 999_999_999_999_999, "", "a-b_c", "x".repeat(64)])(
    "reads only the head of a large answer to %j",
    (id) => {
      const bytes = bytesOf(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${filler}`);
      expect(readHostMessage(bytes)).toEqual({
        ok: true,
        message: { kind: "response", bytes, id },
      });
    },
  );

  it.each(["", filler])("returns what readMessage returns, for any id", (text) => {
    const anyId = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.jsonValue());
    const same = (id: unknown): void => {
      const bytes = bytesOf(JSON.stringify({ jsonrpc: "2.0", id, result: { text } }));
      expect(readHostMessage(bytes)).toEqual(readMessage(bytes));
    };
    fc.assert(fc.property(anyId, same));
    for (const id of ['"', "\\", "\n", "é", "x".repeat(65), -1, 1.5, 2 ** 53, null, [1]]) same(id);
  });

  it.each([
    ["an end missing", '{"jsonrpc":"2.0","id":1,"result":{}', "parse_error"],
    ["nothing in it", "", "parse_error"],
    ["a zero before its id", `{"jsonrpc":"2.0","id":01,"result":"${filler}"}`, "parse_error"],
    ["another version", `{"jsonrpc":"1.0","id":1,"result":"${filler}"}`, "invalid_request"],
  ])("refuses an answer with %s", (_, text, code) => {
    expect(readHostMessage(bytesOf(text))).toMatchObject({ ok: false, error: { code } });
  });

  it("reads a message that is no answer as readMessage does", () => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "roots/list", filler });
    expect(readHostMessage(bytesOf(text))).toMatchObject({ message: { kind: "request", id: 1 } });
  });
});
