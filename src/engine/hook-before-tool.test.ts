import { describe, expect, it } from "vitest";
import type { ToolHookOptions } from "./hook-before-tool.ts";
import { toolHook } from "./hook-before-tool.ts";

/** What Claude Code learns about a call of Bash. */
async function decisionOf(options: ToolHookOptions): Promise<unknown> {
  const [hook] = toolHook(options).hooks;
  const input = {
    hook_event_name: "PreToolUse",
    tool_use_id: "c1",
    tool_name: "Bash",
    tool_input: { command: "ls" },
  };
  const signal = new AbortController().signal;
  const output = await hook!(input as Parameters<NonNullable<typeof hook>>[0], "c1", { signal });
  const { permissionDecision, permissionDecisionReason } = Object(
    Object(output)["hookSpecificOutput"],
  );
  return permissionDecision && [permissionDecision, permissionDecisionReason];
}

const pass = (): undefined => undefined;
const fail = (): never => {
  throw new Error("broken");
};

describe("toolHook", () => {
  it("denies a vetoed call without asking whether a person must decide on it", async () => {
    const asked: string[] = [];
    const askFirst = ({ tool }: { tool: string }): string => {
      asked.push(tool);
      return "look at it";
    };
    expect(await decisionOf({ veto: () => "not here", askFirst })).toEqual(["deny", "not here"]);
    expect(asked).toEqual([]);
  });

  it("lets a person decide where askFirst has a reason or fails, and leaves the rest to Claude Code", async () => {
    expect(await decisionOf({ veto: pass, askFirst: ({ tool }) => tool })).toEqual(["ask", "Bash"]);
    expect(await decisionOf({ askFirst: fail })).toEqual([
      "ask",
      "The rules could not be read: broken",
    ]);
    expect(await decisionOf({ veto: pass, askFirst: pass })).toBeUndefined();
  });

  it("stops a call whose veto fails, and demands nothing new of Claude Code without a veto", async () => {
    await expect(decisionOf({ veto: fail })).rejects.toThrow("broken");
    expect(toolHook({ veto: fail }).onFailure).toBe("block");
    expect(toolHook({ askFirst: pass }).onFailure).toBeUndefined();
  });
});
