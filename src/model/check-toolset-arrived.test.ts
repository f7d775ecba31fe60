import { describe, expect, test } from "vitest";
import * as z from "zod";
import { defineTool } from "../bridge/index.ts";
import type { EngineEvent } from "../engine/events.ts";
import { BridgeStartupError } from "../wire/errors.ts";
import { ToolCheck } from "./check-toolset-arrived.ts";

const named = (name: string) =>
  defineTool({ name, description: name, input: z.object({}), handler: () => name });
const toolset = { name: "shop", tools: [named("buy"), named("sell")], transport: "sdk" } as const;

/** What the check says of a session that came up with these tools. */
function check(tools: string[], status: string, disallowed: string[] = []): (Error | undefined)[] {
  const each = new ToolCheck(toolset, disallowed);
  const events = [
    { type: "ready", tools },
    { type: "mcp_status", servers: [{ name: "shop", status }] },
    { type: "turn_started" },
    { type: "turn_started" },
  ];
  return events.map((event) => each.take(event as EngineEvent));
}

const nothing = [undefined, undefined, undefined, undefined];

test("a session with all its tools passes", () => {
  expect(check(["Bash", "mcp__shop__buy", "mcp__shop__sell"], "connected")).toEqual(nothing);
});

test("a connected server that lacks a tool is an error that names it, once", () => {
  const [, , error, again] = check(["Bash", "mcp__shop__buy"], "connected");
  expect(error).toBeInstanceOf(BridgeStartupError);
  expect(error).toMatchObject({
    message: "Claude Code started without the tools mcp__shop__sell: its server shop is connected.",
    data: { server: "shop", status: "connected", missing: ["mcp__shop__sell"] },
  });
  expect(again).toBeUndefined();
});

test("a tool of the same name on another server does not count", () => {
  const [, , error] = check(["sell", "mcp__other__sell", "mcp__shop__buy"], "connected");
  expect(error).toMatchObject({ data: { missing: ["mcp__shop__sell"] } });
});

test("a tool that the caller forbids is not missing", () => {
  expect(check(["mcp__shop__buy"], "connected", ["mcp__shop__sell"])).toEqual(nothing);
});

test.each(["mcp__shop", "mcp__shop__*"])("tools that %s forbids are not missing", (rule) => {
  expect(check([], "connected", [rule])).toEqual(nothing);
});

const look = (status: string, tools: string[], error?: string) =>
  new ToolCheck(toolset, []).look([
    { name: "other", status: "failed", tools: [] },
    { name: "shop", status, tools, ...(error !== undefined && { error }) },
  ]);

describe("before the first message", () => {
  test("the check waits until all tools are there", () => {
    expect(look("pending", [])).toBe("pending");
    expect(look("connected", ["buy"])).toBe("some");
    expect(look("connected", ["sell", "buy", "more"])).toBe("all");
    expect(new ToolCheck(toolset, []).look([])).toBe("some");
  });

  test("a server that failed is an error that says why", () => {
    expect(() => look("failed", [])).toThrow(BridgeStartupError);
    expect(() => look("failed", [], "timed out after 1ms")).toThrow(
      "its server shop is failed (timed out after 1ms).",
    );
  });

  test("tools that do not arrive are named", () => {
    const each = new ToolCheck(toolset, []);
    each.look([{ name: "shop", status: "connected", tools: ["buy"] }]);
    expect(each.late()).toMatchObject({
      data: { server: "shop", status: "connected", missing: ["mcp__shop__sell"] },
    });
  });
});
