import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rehearsalEnvironment, startRehearsal } from "../src/rehearsal/index.ts";
import { buildBridge } from "./bridge/built.ts";
import type { Absence, Contender, Suite } from "./harness.ts";
import { bareSdk, callOnce, checked, otherProvider, ourModel, ourProvider } from "./model/ways.ts";
import { installPeers, peersDirectory } from "./peer-packages.ts";

const OTHER = "ai-sdk-provider-claude-code";
const GOAL = 1.15;
const ROUNDS = 9;

const contender = (name: string, way: () => Promise<string>, goalRatio?: number): Contender => ({
  name,
  run: checked(way),
  ...(goalRatio !== undefined && { goalRatio }),
});

export default async function modelSuite(): Promise<Suite> {
  await buildBridge();
  const rehearsal = await startRehearsal({ script: callOnce });
  const cwd = mkdtempSync(join(tmpdir(), "bench-model-"));
  const env = {
    ...rehearsalEnvironment(rehearsal.url),
    HOME: cwd,
    CLAUDE_CONFIG_DIR: join(cwd, "config"),
  };
  const place = { cwd, env };
  const others: Contender[] = [];
  const absent: Absence[] = [];
  const peers = await installPeers(peersDirectory);
  if (peers.isThere(OTHER)) {
    others.push(contender(OTHER, await otherProvider(place, peersDirectory)));
  } else absent.push({ name: OTHER, reason: `not installed: ${peers.failure}` });
  return {
    comparisons: [
      {
        title: "One request with one tool call, on the real CLI with a rehearsed model",
        work: { messages: 1, bytes: 0 },
        clock: "wall",
        rounds: ROUNDS,
        peer: contender("bare Agent SDK", bareSdk(place)),
        contenders: [
          contender("ClaudeCodeModel, stdio", ourModel(place, "stdio"), GOAL),
          contender("ClaudeCodeModel, sdk", ourModel(place, "sdk"), GOAL),
          contender("AI SDK, createClaudeCode", ourProvider(place), GOAL),
          ...others,
        ],
        absent,
      },
    ],
    async close() {
      await rehearsal.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
