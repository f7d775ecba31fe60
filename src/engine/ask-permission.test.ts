import type { CanUseTool } from "@anthropic-ai/claude-agent-sdk";
import { describe, expect, it } from "vitest";
import type { PermissionDecision, PermissionRequest } from "./ask-permission.ts";
import { canUseToolOf } from "./ask-permission.ts";

type Options = Parameters<CanUseTool>[2];

const ask = (
  decide: (request: PermissionRequest) => Promise<PermissionDecision>,
  options: Partial<Options> = {},
) =>
  canUseToolOf(decide)(
    "Bash",
    { command: "ls" },
    { signal: new AbortController().signal, toolUseID: "c1", requestId: "r1", ...options },
  );

/** The question as the decision function gets it, if it gets one. */
async function requestOf(options: Partial<Options>): Promise<PermissionRequest | undefined> {
  let request: PermissionRequest | undefined;
  await ask(async (asked) => {
    request = asked;
    return { allow: true };
  }, options);
  return request;
}

describe("the question", () => {
  it("has the call, and only what the CLI sent", async () => {
    const { signal } = new AbortController();
    expect(await requestOf({ signal })).toStrictEqual({
      request_id: "c1",
      tool: "Bash",
      input: { command: "ls" },
      suggestions: [],
      signal,
    });
  });

  it("has all that the CLI sent", async () => {
    const suggestions: NonNullable<Options["suggestions"]> = [
      { type: "setMode", mode: "acceptEdits", destination: "session" },
    ];
    expect(
      await requestOf({
        suggestions,
        title: "Run a command?",
        description: "list the files",
        decisionReason: "no rule allows it",
        blockedPath: "/etc",
        agentID: "a1",
        suppressAlwaysAllowRule: true,
      }),
    ).toMatchObject({
      suggestions,
      title: "Run a command?",
      description: "list the files",
      reason: "no rule allows it",
      blocked_path: "/etc",
      agent: "a1",
      default_to_no: true,
    });
  });

  it("defaults to no when the CLI wants it", async () => {
    expect(await requestOf({ defaultToNo: true })).toHaveProperty("default_to_no", true);
  });

  it("comes one loop later, when the call itself has been reported", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("told"));
    await ask(async () => {
      order.push("asked");
      return { allow: true };
    });
    expect(order).toEqual(["told", "asked"]);
  });

  it("is not asked when it was withdrawn meanwhile", async () => {
    const withdrawn = new AbortController();
    const request = requestOf({ signal: withdrawn.signal });
    withdrawn.abort();
    expect(await request).toBeUndefined();
  });

  it("is answered with a denial when it was withdrawn, which the CLI ignores", async () => {
    const signal = AbortSignal.abort();
    expect(await ask(async () => ({ allow: true }), { signal })).toMatchObject({
      behavior: "deny",
    });
  });
});

describe("the answer", () => {
  it.each<[string, PermissionDecision, object]>([
    ["yes", { allow: true }, { behavior: "allow", updatedInput: { command: "ls" } }],
    [
      "yes, changed",
      { allow: true, updated_input: { command: "ls -l" } },
      { behavior: "allow", updatedInput: { command: "ls -l" } },
    ],
    [
      "yes, from now on",
      {
        allow: true,
        updated_permissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
      },
      {
        behavior: "allow",
        updatedInput: { command: "ls" },
        updatedPermissions: [{ type: "setMode", mode: "acceptEdits", destination: "session" }],
      },
    ],
    [
      "no",
      { allow: false, message: "Not now." },
      { behavior: "deny", message: "Not now.", interrupt: false },
    ],
    [
      "no, and stop",
      { allow: false, message: "Stop.", interrupt: true },
      { behavior: "deny", message: "Stop.", interrupt: true },
    ],
  ])("%s", async (_name, decision, expected) => {
    expect(await ask(async () => decision)).toStrictEqual(expected);
  });

  it("is the error's text when the decision fails: the SDK denies with it", async () => {
    const failing = ask(async () => {
      throw new Error("no such luck");
    });
    await expect(failing).rejects.toThrow("no such luck");
    const throwing = ask(() => {
      throw new Error("at once");
    });
    await expect(throwing).rejects.toThrow("at once");
  });
});
