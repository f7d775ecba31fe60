import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createToolHost, defineTool } from "../../bridge/index.ts";
import { bridgeTools } from "./bridge-tools.ts";

test("bridgeTools reads a bridge's tools from its files, and returns no tools after its host is gone", async () => {
  const tool = { description: "d", input: z.object({}), handler: () => "" };
  const tools = ["query", "save"].map((name) => defineTool({ name, ...tool }));
  const host = await createToolHost({ name: "db", tools }).start();
  onTestFinished(() => host.stop());
  const config = { ...host.mcpServerConfig() };
  expect(bridgeTools(config)).toEqual(["query", "save"]);
  await host.stop();
  expect(bridgeTools(config)).toEqual([]);
});

test("bridgeTools knows no tools of other servers, or of a file that is not a list of tools", () => {
  const file = join(tempDir(), "claudecode_ipc_schema_x.json");
  writeFileSync(file, "{");
  const servers = [undefined, { url: "http://x" }, { args: [1] }, { args: ["a.json"] }];
  for (const server of [...servers, { args: ["s.sock", file] }]) {
    expect(bridgeTools(server)).toEqual([]);
  }
});
