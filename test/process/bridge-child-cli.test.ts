import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { locateCli } from "../../src/engine/locate-cli.ts";
import { setStage } from "../support/rehearsed.ts";
import { tempDir } from "../support/temp-dir.ts";
import { HostProcess } from "./fixtures/bridge-host-process.ts";
import type { Rpc } from "./fixtures/bridge-process.ts";
import { bridgeFile, BridgeProcess, writeSchema } from "./fixtures/bridge-process.ts";

const recording = join(import.meta.dirname, "../fixtures/bridge/cli-start.jsonl");
const recorder = join(import.meta.dirname, "fixtures/bridge-recorder.ts");

const textLines = (file: string): string[] => readFileSync(file, "utf8").trim().split("\n");
const messagesOf = (file: string): Rpc[] => textLines(file).map((line) => JSON.parse(line) as Rpc);

const shape = ({ method, id }: Rpc): object => ({ method, id });

/** The real CLI in one turn that calls this tool through our bridge, with what it sent and what it got. */
async function runCli(bridgeArgs: string[], tool: string, input: Record<string, number> = {}) {
  const stage = await setStage({
    rules: [{ when: { user: "go" }, tools: [{ name: `mcp__t__${tool}`, input }] }],
    default: { text: "done" },
  });
  const [sent, config] = [join(stage.configDir, "sent.jsonl"), join(stage.configDir, "mcp.json")];
  const args = [recorder, sent, process.execPath, bridgeFile, ...bridgeArgs];
  const server = { command: process.execPath, args, alwaysLoad: true };
  writeFileSync(config, JSON.stringify({ mcpServers: { t: server } }));
  const cli = promisify(execFile)(
    locateCli(),
    ["-p", "go", "--mcp-config", config, "--strict-mcp-config", "--allowed-tools", "mcp__t"],
    { cwd: stage.cwd, env: { PATH: process.env["PATH"], ...stage.env } },
  );
  cli.child.stdin?.end();
  await cli;
  const main = stage.rehearsal.journal.entries.filter(({ kind }) => kind === "main");
  return { sent, offered: main[0]?.tools, results: main.at(-1)?.new_tool_results };
}

describe("the real CLI", () => {
  it("[IPC-23] calls a tool of a foreign parent through the bridge", async () => {
    const directory = tempDir();
    const [socket, schema] = [join(directory, "a.sock"), join(directory, "schema.json")];
    const parent = await HostProcess.foreign(socket, schema);
    const { offered, results } = await runCli([socket, schema], "add", { a: 40, b: 2 });
    expect(offered).toContain("mcp__t__add");
    expect(results).toMatchObject([{ text: "42" }]);
    expect(parent.count("connected")).toBe(1);
  });

  it("[IPC-13] [IPC-30] [IPC-31] begins as it was recorded, and its call carries the model's own id", async () => {
    const directory = tempDir();
    const socket = join(directory, "a.sock");
    const schema = writeSchema(directory, [{ name: "meta" }]);
    await HostProcess.own(socket);
    const { sent, results } = await runCli([socket, schema, "own"], "meta");
    // `RECORD_CLI_START=1` writes the recording again, after a new version of the CLI.
    if (process.env["RECORD_CLI_START"]) writeFileSync(recording, readFileSync(sent));
    expect(messagesOf(sent).map(shape)).toEqual(messagesOf(recording).map(shape));
    expect(results).toMatchObject([{ text: expect.stringContaining("claudecode/toolUseId") }]);
  });
});

describe("the recorded start of a CLI", () => {
  it.each([["own"], []])(
    "[IPC-11] [IPC-13] is answered line by line, without a host (%s)",
    async (...more) => {
      const directory = tempDir();
      const schema = writeSchema(directory, [{ name: "meta" }]);
      const bridge = new BridgeProcess(join(directory, "none.sock"), schema, ...more);
      const begin = performance.now();
      for (const line of textLines(recording)) bridge.send(line);
      const last = messagesOf(recording).at(-1);
      await bridge.answerTo(last?.id);
      expect(performance.now() - begin).toBeLessThan(3_000);
      expect(
        bridge.told.map(({ id, error, result }) => [id, error?.code ?? Object.keys(result ?? {})]),
      ).toEqual([
        ["server-discover-probe-1", -32601],
        [0, ["protocolVersion", "capabilities", "serverInfo"]],
        [1, ["tools"]],
        [2, ["content", "isError"]],
      ]);
    },
  );
});
