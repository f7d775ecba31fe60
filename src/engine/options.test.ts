import { describe, expect, it } from "vitest";
import { locateCli } from "./locate-cli.ts";
import type { EngineOptions } from "./options.ts";
import { sdkOptions } from "./options.ts";

const options = (fields: Partial<EngineOptions> = {}) =>
  sdkOptions({ cwd: "/work", decide: async () => ({ allow: true }), ...fields });

describe("sdkOptions", () => {
  it("says what some CLI versions would choose otherwise, and leaves the rest out", () => {
    expect(options()).toStrictEqual({
      cwd: "/work",
      pathToClaudeCodeExecutable: locateCli(),
      canUseTool: expect.any(Function),
      includePartialMessages: true,
      perTaskStopAffordance: true,
      permissionMode: "default",
      settingSources: ["user", "project", "local"],
      systemPrompt: { type: "preset", preset: "claude_code" },
    });
  });

  it("passes on what was asked for, under the SDK's names", () => {
    expect(
      options({
        sessionId: "s",
        resume: "r",
        fork: true,
        continueLatest: true,
        model: "opus",
        effort: "high",
        permissionMode: "plan",
        appendSystemPrompt: "Be brief.",
        mcpServers: { team: { type: "stdio", command: "bridge", args: [] } },
        strictMcpConfig: true,
        settingSources: [],
        settings: { model: "opus" },
        allowedTools: ["Read"],
        disallowedTools: [],
        maxTurns: 3,
        maxBudgetUsd: 0,
      }),
    ).toMatchObject({
      sessionId: "s",
      resume: "r",
      forkSession: true,
      continue: true,
      model: "opus",
      effort: "high",
      permissionMode: "plan",
      systemPrompt: { append: "Be brief." },
      mcpServers: { team: { command: "bridge" } },
      strictMcpConfig: true,
      settingSources: [],
      settings: { model: "opus" },
      allowedTools: ["Read"],
      disallowedTools: [],
      maxTurns: 3,
      maxBudgetUsd: 0,
    });
  });

  it("allows to skip all questions only when that mode was asked for", () => {
    expect(options({ permissionMode: "bypassPermissions" })).toHaveProperty(
      "allowDangerouslySkipPermissions",
      true,
    );
    expect(options({ permissionMode: "acceptEdits" })).not.toHaveProperty(
      "allowDangerouslySkipPermissions",
    );
  });

  it("refuses a CLI that is not there", () => {
    expect(() => options({ claudePath: "/nowhere/claude" })).toThrow(
      expect.objectContaining({ code: "cli_not_found" }),
    );
  });

  it("puts a system prompt of one's own in the place of Claude Code's", () => {
    expect(options({ systemPrompt: "You are a clock." })).toMatchObject({
      systemPrompt: { type: "custom", prompt: "You are a clock." },
    });
    const both = options({ systemPrompt: "You are a clock.", appendSystemPrompt: "Be brief." });
    expect(both).toMatchObject({ systemPrompt: { prompt: "You are a clock.\n\nBe brief." } });
  });

  it("tells no built-in tools from all of them", () => {
    expect(options({ builtInTools: [] })).toMatchObject({ tools: [] });
    expect(options()).not.toHaveProperty("tools");
  });

  it("asks for an object of a schema", () => {
    const schema = { type: "object" };
    expect(options({ outputSchema: schema })).toMatchObject({
      outputFormat: { type: "json_schema", schema },
    });
  });
});
