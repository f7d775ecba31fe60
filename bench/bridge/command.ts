import { spawn } from "node:child_process";
import { once } from "node:events";

/** A program to be started, as a client of MCP would. */
export interface Command {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

export const node = (...args: string[]): Command => ({ command: process.execPath, args });

/** The same for all, without what slows every start of Node down and so makes the others look better. */
export const environment = { ...process.env, NODE_OPTIONS: "", NODE_EXTRA_CA_CERTS: "" };

export const spawnPiped = ({ command, args, env }: Command) =>
  spawn(command, args, { env: { ...environment, ...env }, stdio: ["pipe", "pipe", "ignore"] });

/** From the start to the end of a Node that has nothing to do. */
export async function bareNodeMs(): Promise<number> {
  const startMs = performance.now();
  await once(spawnPiped(node("-e", "0")), "exit");
  return performance.now() - startMs;
}
