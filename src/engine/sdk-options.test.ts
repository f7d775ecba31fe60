import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { locateCli } from "./locate-cli.ts";
import type { EngineOptions, McpServerConfig } from "./sdk-options.ts";
import { sdkOptions } from "./sdk-options.ts";
import { learnVersion } from "./cli-version.ts";

const options = (fields: Partial<EngineOptions> = {}) =>
  sdkOptions({ cwd: "/work", decide: async () => ({ allow: true }), ...fields });

describe("sdkOptions", () => {
  it("sets what some CLI versions would choose differently, and omits the rest", () => {
    expect(options()).toStrictEqual({
      cwd: "/work",
      pathToClaudeCodeExecutable: locateCli(),
      canUseTool: expect.any(Function),
      includePartialMessages: true,
      perTaskStopAffordance: true,
      permissionMode: "default",
      settingSources: ["user", "project", "local"],
      systemPrompt: { type: "preset", preset: "claude_code" },
      extraArgs: { "await-initialize": null },
    });
  });

  it("passes the options on under the SDK's names", () => {
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
      mcpServersDelivery: "initialize",
      strictMcpConfig: true,
      settingSources: [],
      settings: { model: "opus" },
      // By the SDK's own option it would warn on stderr.
      extraArgs: { allowedTools: "Read" },
      disallowedTools: [],
      maxTurns: 3,
      maxBudgetUsd: 0,
    });
  });

  it("allows skipping all questions only when that mode was requested", () => {
    expect(options({ permissionMode: "bypassPermissions" })).toHaveProperty(
      "allowDangerouslySkipPermissions",
      true,
    );
    expect(options({ permissionMode: "acceptEdits" })).not.toHaveProperty(
      "allowDangerouslySkipPermissions",
    );
  });

  it("uses no feature that the CLI is not known to have", () => {
    const cli = join(tempDir(), "claude");
    writeFileSync(cli, "#!/bin/sh\n", { mode: 0o755 });
    const server: McpServerConfig = { type: "stdio", command: "bridge", args: [] };
    const made = options({ claudePath: cli, mcpServers: { team: server } });
    expect(made).toMatchObject({ mcpServers: {}, mcpServersDelivery: "argv" });
    expect(made).not.toHaveProperty("extraArgs");
  });

  it("passes the server file to a CLI that reads servers only from there", () => {
    expect(sdkOptions({ cwd: "/work", decide: async () => ({ allow: true }) }, "/f")).toMatchObject(
      { extraArgs: { "mcp-config": "/f" } },
    );
  });

  it("refuses a CLI that is too old, once its version is known", async () => {
    const claudePath = join(tempDir(), "claude");
    writeFileSync(claudePath, "#!/bin/sh\necho 2.1.205\n", { mode: 0o755 });
    await learnVersion(claudePath);
    expect(() => options({ claudePath })).toThrow(
      expect.objectContaining({ code: "cli_too_old", message: expect.stringContaining("2.1.206") }),
    );
  });

  it("refuses a missing CLI", () => {
    expect(() => options({ claudePath: "/nowhere/claude" })).toThrow(
      expect.objectContaining({ code: "cli_not_found" }),
    );
  });

  it("replaces Claude Code's system prompt", () => {
    expect(options({ systemPrompt: "You are a clock." })).toMatchObject({
      systemPrompt: { type: "custom", prompt: "You are a clock." },
    });
    const both = options({ systemPrompt: "You are a clock.", appendSystemPrompt: "Be brief." });
    expect(both).toMatchObject({ systemPrompt: { prompt: "You are a clock.\n\nBe brief." } });
  });

  it("distinguishes no built-in tools from all of them", () => {
    expect(options({ builtInTools: [] })).toMatchObject({ tools: [] });
    expect(options()).not.toHaveProperty("tools");
  });

  it("requests an object of a schema", () => {
    const schema = { type: "object" };
    expect(options({ outputSchema: schema })).toMatchObject({
      outputFormat: { type: "json_schema", schema },
    });
  });
});
