// A program that stands for `agent-socket` in the contract of the port `AgentHost`. It serves its session's socket
// with lines of its own, and never starts Claude Code.
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { parseArgs } from "node:util";

const CHUNK = Buffer.alloc(64 * 1024, "x");

const text = { type: "string" } as const;
const { values } = parseArgs({
  options: { socket: text, "mcp-config": text, resume: text, model: text },
  allowPositionals: true,
  strict: false,
});
const path = String(values["socket"]);
let written = 0;
let isStubborn = false;

/** The socket that a bridge of the team's tools would connect to. */
function bridgeSocket(): string {
  const config = readFileSync(String(values["mcp-config"]), "utf8");
  const { mcpServers } = JSON.parse(config) as { mcpServers: Record<string, { args: string[] }> };
  return mcpServers["team"]?.args[1] ?? "";
}

/** Sends a line to the team's tools as a bridge does, and returns the line that comes back. */
async function callTools(line: string): Promise<string> {
  const bridge = createConnection(bridgeSocket());
  bridge.write(`${line}\n`);
  const [answer] = (await once(bridge, "data")) as [Buffer];
  bridge.destroy();
  return answer.toString();
}

async function flood(socket: Socket, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    written += CHUNK.length;
    if (!socket.write(CHUNK)) await once(socket, "drain");
  }
}

async function obey(line: string, socket: Socket): Promise<void> {
  const [command = "", ...words] = line.split(" ");
  const rest = words.join(" ");
  if (command === "echo") socket.write(`${rest}\n`);
  if (command === "pid") socket.write(`${process.pid}\n`);
  if (command === "resume") socket.write(`${String(values["resume"])}\n`);
  if (command === "bridge") socket.write(await callTools(rest));
  if (command === "written") socket.write(`${written}\n`);
  if (command === "flood") await flood(socket, Number(rest));
  if (command === "stubborn") {
    isStubborn = true;
    socket.write("stubborn\n");
  }
  if (command === "end") process.exit(0);
  if (command === "die") process.kill(process.pid, "SIGKILL");
}

process.stderr.write("echo-agent: these are my last words\n");
if (values["model"] === "broken") process.exit(1);
// What a run before this one could not clear away.
rmSync(path, { force: true });
createServer((socket) => {
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    for (const line of chunk.toString().trim().split("\n")) void obey(line, socket);
  });
}).listen(path);
process.on("SIGTERM", () => {
  if (isStubborn) return;
  rmSync(path, { force: true });
  process.exit(0);
});
