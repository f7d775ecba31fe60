import { join } from "node:path";
import { build } from "esbuild";
import { locateCli } from "../../src/engine/locate-cli.ts";
import type { Absence } from "../harness.ts";
import { installPeers } from "../peer-packages.ts";
import { LinePeer } from "./line-peer.ts";
import type { Line, Meaning, Way } from "./way.ts";

const root = join(import.meta.dirname, "../..");
const ADAPTER = "@agentclientprotocol/claude-agent-acp";

export const agentSocket: Way = {
  name: "agent-socket",
  async start(place) {
    const peer = new LinePeer([join(root, "bin/agent-socket.js"), "--cwd", place.cwd], place);
    const socket = await peer.until(({ type, socket: path }) =>
      type === "ready" ? String(path) : undefined,
    );
    await peer.connect(socket);
    return peer;
  },
  async awaken(peer) {
    peer.send({ type: "set_mode", mode: "default", ref: "awake" });
    await peer.until(({ type, ref }) => (type === "ok" && ref === "awake") || undefined);
  },
  prompt: (text) => ({ type: "message", text }),
  read({ type, request_id }): Meaning | undefined {
    if (type === "text_delta") return { kind: "delta" };
    if (type === "approval_request") {
      return { kind: "ask", answer: { type: "approve", request_id } };
    }
    return type === "done" ? { kind: "done" } : undefined;
  },
};

/** As people ship it: compiled, with its packages beside it. */
export async function thinRelay(): Promise<Way> {
  const program = join(root, "bench/results/built/thin-relay.mjs");
  await build({
    entryPoints: [new URL("./programs/thin-relay.ts", import.meta.url).pathname],
    outfile: program,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
  });
  return {
    name: "thin relay on the bare SDK",
    start: async (place) => new LinePeer([program], place),
    async awaken(peer) {
      peer.send({ type: "mode" });
      await peer.until(({ type }) => type === "ok" || undefined);
    },
    prompt: (text) => ({ type: "prompt", text }),
    read({ type, id }): Meaning | undefined {
      if (type === "ask") return { kind: "ask", answer: { type: "allow", id } };
      return type === "delta" || type === "done" ? { kind: type } : undefined;
    },
  };
}

/** The adapter of the Agent Client Protocol, with the CLI that all of them have. */
export async function acpAdapter(): Promise<Way | Absence> {
  // Without the CLI that it would bring along.
  const peers = await installPeers(join(root, "bench/peers/session"), "--omit=optional");
  const name = peers.titleOf(ADAPTER);
  if (!peers.isThere(ADAPTER)) return { name, reason: `not installed: ${peers.failure}` };
  const program = join(peers.placeOf(ADAPTER), "dist/index.js");
  let sessionId: unknown;
  return {
    name,
    start: async ({ env, ...place }) =>
      new LinePeer([program], { ...place, env: { ...env, CLAUDE_CODE_EXECUTABLE: locateCli() } }),
    async awaken(peer, { cwd }) {
      await call(peer, "initialize", { protocolVersion: 1, clientCapabilities: {} });
      ({ sessionId } = await call(peer, "session/new", { cwd, mcpServers: [] }));
      await call(peer, "session/set_mode", { sessionId, modeId: "default" });
    },
    prompt: (text) =>
      request("session/prompt", { sessionId, prompt: [{ type: "text", text }] }, "prompt"),
    read: readAcp,
  };
}

const request = (method: string, params: object, id = method): object => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

async function call(peer: LinePeer, method: string, params: object): Promise<Line> {
  peer.send(request(method, params));
  return peer.until(({ id, result, error }) => {
    if (id !== method) return undefined;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as Line;
  });
}

interface AcpParams {
  update?: { sessionUpdate: string };
  options?: { kind: string; optionId: string }[];
}

function readAcp({ id, method, params, error }: Line): Meaning | undefined {
  if (error !== undefined) throw new Error(JSON.stringify(error));
  const { update, options } = (params ?? {}) as AcpParams;
  if (update?.sessionUpdate === "agent_message_chunk") return { kind: "delta" };
  if (method === "session/request_permission") {
    const optionId = options?.find(({ kind }) => kind === "allow_once")?.optionId;
    const result = { outcome: { outcome: "selected", optionId } };
    return { kind: "ask", answer: { jsonrpc: "2.0", id, result } };
  }
  return id === "prompt" && method === undefined ? { kind: "done" } : undefined;
}
