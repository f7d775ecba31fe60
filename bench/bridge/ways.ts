import type { Command } from "./command.ts";
import { openOfficialClient } from "./official-client.ts";
import { RawClient } from "./raw-client.ts";
import type { Stage } from "./stage.ts";
import type { CallResult } from "./stdio-client.ts";
import { StdioClient } from "./stdio-client.ts";

/** A way to a tool: a client, and what stands between it and the tool. Open and warm. */
export interface Way {
  name: string;
  call(tool: string, args: object): Promise<CallResult>;
  close(): Promise<void>;
}

export interface Ways {
  raw: Way;
  bareRelay: Way;
  bridge: Way;
  nearBridge: Way;
  contractBridge: Way;
  library: Way;
  officialToBridge: Way;
  officialToLibrary: Way;
  relays: Way[];
}

/** The client is a minimal one, but where a name says otherwise. */
export async function openWays(stage: Stage): Promise<Ways> {
  return {
    raw: await warm("raw Unix socket, JSON at both ends", await RawClient.open(stage.rawSocket)),
    bareRelay: await minimal("the same behind a process that copies bytes", stage.bareRelay),
    bridge: await minimal("bridge, host in a process of its own", stage.bridge),
    nearBridge: await minimal("bridge, host in the client's process", stage.nearBridge),
    contractBridge: await minimal("bridge, by the IPC contract alone", stage.contractBridge),
    library: await minimal("library's server with the tool inside", stage.library.bundled),
    officialToBridge: await official("official client: bridge", stage.bridge),
    officialToLibrary: await official("official client: library's server", stage.library.bundled),
    relays: await Promise.all(stage.relays.map(({ name, command }) => minimal(name, command))),
  };
}

export const allWays = ({ relays, ...ways }: Ways): Way[] => [...Object.values(ways), ...relays];

async function minimal(name: string, command: Command): Promise<Way> {
  return warm(name, await StdioClient.open(command));
}

async function official(name: string, command: Command): Promise<Way> {
  const client = await openOfficialClient(command);
  return warm(name, {
    call: (tool, args) =>
      client.callTool({ name: tool, arguments: { ...args } }) as Promise<CallResult>,
    close: () => client.close(),
  });
}

const WARM_UP_CALLS = 1000;

/** Compilers need many calls before they do their best, and a round of the harness may be one call. */
async function warm(name: string, way: Omit<Way, "name">): Promise<Way> {
  for (let call = 0; call < WARM_UP_CALLS; call += 1) await way.call("text", { bytes: 100 });
  return { name, call: (tool, args) => way.call(tool, args), close: () => way.close() };
}
