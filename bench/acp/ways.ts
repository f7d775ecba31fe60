import { join } from "node:path";
import { locateCli } from "../../src/engine/locate-cli.ts";
import type { Absence } from "../harness.ts";
import { installPeers } from "../peer-packages.ts";
import type { Place } from "../session/way.ts";

const root = join(import.meta.dirname, "../..");
const ADAPTER = "@agentclientprotocol/claude-agent-acp";

/** A program that an editor starts and speaks ACP with. */
export interface FaceWay {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: (place: Place) => Record<string, string>;
}

export const ownFace: FaceWay = {
  name: "agent-socket acp",
  // A host that nobody needs any more is not to disturb the next round.
  args: [join(root, "bin/agent-socket.js"), "acp", "--linger-ms", "1000"],
  env: ({ env }) => env,
};

/** The adapter, with the CLI that both have. */
export async function adapterOf(): Promise<FaceWay | Absence> {
  const peers = await installPeers(join(root, "bench/peers/session"), "--omit=optional");
  const name = peers.titleOf(ADAPTER);
  if (!peers.isThere(ADAPTER)) return { name, reason: `not installed: ${peers.failure}` };
  return {
    name,
    args: [join(peers.placeOf(ADAPTER), "dist/index.js")],
    env: ({ env }) => ({ ...env, CLAUDE_CODE_EXECUTABLE: locateCli() }),
  };
}
