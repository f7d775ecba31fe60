import { describe, expect, it } from "vitest";
import type { EngineMessage } from "./to-sdk-message.ts";
import { toSdkMessage } from "./to-sdk-message.ts";

const id = "0f4a3f1c-4b1e-4f7e-9a53-0a1b2c3d4e5f";
const plain = {
  type: "user",
  message: { role: "user", content: "hi" },
  parent_tool_use_id: null,
  uuid: id,
};

describe("toSdkMessage", () => {
  it.each<[string, Partial<EngineMessage>, object]>([
    ["a plain message", {}, {}],
    ["priority now", { priority: "now" }, { priority: "now" }],
    ["priority later", { priority: "later" }, { priority: "later" }],
    ["a quiet one asks nothing of the model", { quiet: true }, { shouldQuery: false }],
    [
      "a relayed one is marked, and no command",
      { relayed: true },
      { isSynthetic: true, client_composed: true },
    ],
    ["what is false is left out", { quiet: false, relayed: false }, {}],
  ])("%s", (_name, fields, expected) => {
    expect(toSdkMessage({ id, content: "hi", ...fields })).toStrictEqual({ ...plain, ...expected });
  });

  it("passes blocks of content through", () => {
    const content: EngineMessage["content"] = [{ type: "text", text: "hi" }];
    expect(toSdkMessage({ id, content }).message.content).toBe(content);
  });
});
