import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { errorOf } from "../../wire/errors.ts";

/** An entry of `mcpServers`: for the Agent SDK, for `.mcp.json`, and for `claude --mcp-config`. */
export interface StdioServerConfig {
  type: "stdio";
  command: string;
  args: string[];
  env: Record<string, string>;
  /** The tools are available from the first request on, not behind a tool search. */
  alwaysLoad: true;
}

// The same path from src/ and from dist/, which are siblings.
export const bridgeProgram = fileURLToPath(
  new URL("../../../dist/bridge/child.cjs", import.meta.url),
);

/** Each slows the start of Node down or changes what it runs; an empty value does neither. */
export const clearedVariables = {
  NODE_OPTIONS: "",
  NODE_EXTRA_CA_CERTS: "",
  NODE_USE_ENV_PROXY: "",
  NODE_V8_COVERAGE: "",
  NODE_DEBUG: "",
};

/**
 * Contains no secret: the arguments of a process are public. File permissions decide who may connect.
 *
 * @param waitForHostMs how long calls wait for an absent host; by default the bridge decides.
 */
export function stdioConfig(
  socket: string,
  schema: string,
  waitForHostMs?: number,
): StdioServerConfig {
  const wait = waitForHostMs === undefined ? [] : [String(waitForHostMs)];
  return {
    type: "stdio",
    command: process.execPath,
    args: [bridgeProgram, socket, schema, "own", ...wait],
    env: { ...clearedVariables },
    alwaysLoad: true,
  };
}

/** @throws `bridge_startup` when the bridge process has not been built, or a bundler left it out. */
export function requireBridgeProgram(program: string = bridgeProgram): void {
  if (existsSync(program)) return;
  throw errorOf("bridge_startup", `The bridge process is missing: there is no file ${program}.`, {
    data: { path: program },
    hint: "Build the package, or keep agent-switchboard out of your bundle, so that it finds its own files.",
  });
}
