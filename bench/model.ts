import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rehearsalEnvironment, startRehearsal } from "../src/rehearsal/index.ts";
import { buildBridge } from "./bridge/built.ts";
import type { Absence, Contender, Suite } from "./harness.ts";
import type { Way } from "./model/ways.ts";
import {
  bareSdk,
  callOnce,
  checked,
  otherProvider,
  ourModel,
  ourProvider,
  untilGone,
} from "./model/ways.ts";
import { installPeers, peersDirectory } from "./peer-packages.ts";

const OTHER = "ai-sdk-provider-claude-code";
const GOAL = 1.15;
const ROUNDS = 9;

/** What a reader of the figures has to know. */
const notes = [
  "All run the same Claude Code, with one tool and none of its own; but for the one as it comes: it runs the",
  "Claude Code that it pins, with all its tools. The other provider's tool is on an MCP server that its helper makes.",
  "ClaudeCodeModel is done when all that it started has ended; the others are done with their answer, and their",
  "process ends later (and before the next is measured). The row below the peer shows what waiting for that costs.",
];

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
  const contender = (name: string, way: Way, goalRatio?: number): Contender => ({
    name,
    run: checked(way, place),
    ...(goalRatio !== undefined && { goalRatio }),
  });
  const bare = bareSdk(place);
  const bareUntilGone = async (): Promise<string> => {
    const text = await bare();
    await untilGone(place);
    return text;
  };
  const others: Contender[] = [];
  const absent: Absence[] = [];
  const peers = await installPeers(peersDirectory);
  if (peers.isThere(OTHER)) {
    others.push(contender(OTHER, await otherProvider(place, peersDirectory, true)));
    others.push(
      contender(`${OTHER}, as it comes`, await otherProvider(place, peersDirectory, false)),
    );
  } else absent.push({ name: OTHER, reason: `not installed: ${peers.failure}` });
  return {
    comparisons: [
      {
        title: "One request with one tool call, on the real CLI with a rehearsed model",
        work: { messages: 1, bytes: 0 },
        clock: "wall",
        rounds: ROUNDS,
        peer: contender("bare Agent SDK", bare),
        contenders: [
          contender("bare Agent SDK, until it has ended", bareUntilGone),
          contender("ClaudeCodeModel, stdio", ourModel(place, "stdio"), GOAL),
          contender("ClaudeCodeModel, sdk", ourModel(place, "sdk"), GOAL),
          contender("AI SDK, createClaudeCode", ourProvider(place), GOAL),
          ...others,
        ],
        absent,
        notes,
      },
    ],
    async close() {
      await rehearsal.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}
