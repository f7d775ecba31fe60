import type { Comparison, Contender } from "../harness.ts";
import type { Command } from "./command.ts";
import { bareNodeMs } from "./command.ts";
import type { Stage } from "./stage.ts";
import { StdioClient } from "./stdio-client.ts";

export function compareStarts({ bridge, library, relays, absent }: Stage): Comparison {
  return {
    title: "From the start of the process to its answer to initialize",
    work: { messages: 1, bytes: 0 },
    clock: "wall",
    rounds: 21,
    peer: { name: "node -e 0, to its end", run: bareNodeMs },
    contenders: [
      { ...starting("bridge", bridge), goalRatio: 1.25 },
      starting("library's server, bundled", library.bundled),
      starting("library's server, unbundled", library.unbundled),
      ...relays.map(({ name, command }) => starting(name, command)),
    ],
    absent,
  };
}

function starting(name: string, command: Command): Contender {
  return {
    name,
    async run() {
      const startMs = performance.now();
      const client = await StdioClient.open(command);
      const elapsedMs = performance.now() - startMs;
      await client.close();
      return elapsedMs;
    },
  };
}
