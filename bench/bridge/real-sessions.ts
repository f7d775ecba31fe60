import { createSdkMcpServer, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";
import type { McpServerConfig } from "../../src/engine/sdk-options.ts";
import type { Rehearsal } from "../../src/rehearsal/index.ts";
import { startRehearsal } from "../../src/rehearsal/index.ts";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { bareNodeMs } from "./command.ts";
import { textOf } from "./payload.ts";
import { callOnce, RehearsedSession } from "./rehearsed-session.ts";
import { startNearHost } from "./stage.ts";

const ROUNDS = 15;
const TURNS_PER_ROUND = 8;

/** The real CLI with the bridge, beside the same without a bridge: the SDK's server in its own process. */
export function surveyRealSessions(): Survey {
  return {
    title: "Real CLI on a rehearsed model: the bridge beside the SDK's in-process server",
    async measure() {
      const rehearsal = await startRehearsal({ script: callOnce });
      const bridgeHost = await startNearHost();
      const trial = new Trial(rehearsal, sdkServer, () => bridgeHost.mcpServerConfig());
      try {
        await trial.round();
        trial.forget();
        for (let round = 0; round < ROUNDS; round += 1) await trial.round();
        return trial.figures();
      } finally {
        await bridgeHost.stop();
        await rehearsal.close();
      }
    },
  };
}

/** The SDK's own server, with nothing of ours. One serves one session. */
function sdkServer(): McpServerConfig {
  const text = tool(
    "text",
    "Gives a text.",
    { bytes: z.number() },
    async ({ bytes }) => ({ content: [{ type: "text", text: textOf(bytes) }] }),
    { annotations: { readOnlyHint: true } },
  );
  return createSdkMcpServer({ name: "bench", tools: [text], alwaysLoad: true });
}

interface Times {
  first: number[];
  turn: number[];
}

class Trial {
  readonly #rehearsal: Rehearsal;
  readonly #kinds: { serve: () => McpServerConfig; times: Times }[];
  #nodeMs: number[] = [];

  constructor(rehearsal: Rehearsal, sdk: () => McpServerConfig, bridge: () => McpServerConfig) {
    this.#rehearsal = rehearsal;
    this.#kinds = [sdk, bridge].map((serve) => ({ serve, times: { first: [], turn: [] } }));
  }

  /** A new session of each kind, in changing order; then their turns alternate. */
  async round(): Promise<void> {
    this.#nodeMs.push(median([await bareNodeMs(), await bareNodeMs(), await bareNodeMs()]));
    const kinds = this.#nodeMs.length % 2 === 0 ? this.#kinds : this.#kinds.toReversed();
    const sessions: { session: RehearsedSession; times: Times }[] = [];
    try {
      for (const { serve, times } of kinds) {
        const session = new RehearsedSession(this.#rehearsal, serve());
        sessions.push({ session, times });
        times.first.push(await session.firstRequestMs());
      }
      for (let turn = 0; turn < TURNS_PER_ROUND; turn += 1) {
        for (const { session, times } of sessions) times.turn.push(await session.toolTurnMs());
      }
    } finally {
      for (const { session } of sessions) await session.close();
    }
  }

  forget(): void {
    this.#nodeMs = [];
    for (const kind of this.#kinds) kind.times = { first: [], turn: [] };
  }

  figures(): Figure[] {
    const [sdk, bridge] = this.#kinds.map(({ times }) => times) as [Times, Times];
    const ratios = bridge.turn.map((ms, turn) => ms / sdk.turn[turn]!);
    const starts = bridge.first.map((ms, round) => (ms - sdk.first[round]!) / this.#nodeMs[round]!);
    return [
      ms("tool turn, SDK's server", sdk.turn),
      ms("tool turn, bridge", bridge.turn),
      { name: "their ratio", value: median(ratios), unit: "×", goal: { atMost: 1.05 } },
      ms("first model request, SDK's server", sdk.first),
      ms("first model request, bridge", bridge.first),
      ms("node -e 0", this.#nodeMs),
      {
        name: "the difference, in starts of node",
        value: median(starts),
        unit: "starts",
        goal: { atMost: 1.5 },
      },
    ];
  }
}

const ms = (name: string, values: number[]): Figure => ({
  name,
  value: median(values),
  unit: "ms",
});

const SHARERS = 3;

/** What becomes of sessions that share one server, each served by the real CLI at the same time. */
export async function countSharers(): Promise<Figure[]> {
  const rehearsal = await startRehearsal({ script: callOnce });
  const host = await startNearHost();
  try {
    return [
      {
        name: `real CLI, ${SHARERS} sessions on the SDK's own server: with the tool`,
        value: await countWithTool(rehearsal, sdkServer()),
        unit: `of ${SHARERS}`,
      },
      {
        name: `real CLI, ${SHARERS} sessions on one host: with the tool`,
        value: await countWithTool(rehearsal, host.mcpServerConfig()),
        unit: `of ${SHARERS}`,
        goal: { atLeast: SHARERS },
      },
    ];
  } finally {
    await host.stop();
    await rehearsal.close();
  }
}

async function countWithTool(rehearsal: Rehearsal, config: McpServerConfig): Promise<number> {
  const sessions = Array.from({ length: SHARERS }, () => new RehearsedSession(rehearsal, config));
  try {
    const found = await Promise.all(sessions.map((session) => session.hasTool()));
    return found.filter(Boolean).length;
  } finally {
    for (const session of sessions) await session.close();
  }
}
