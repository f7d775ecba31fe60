import { execFileSync } from "node:child_process";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import type { Command } from "./command.ts";
import { node, spawnPiped } from "./command.ts";
import type { Stage } from "./stage.ts";
import { StdioClient } from "./stdio-client.ts";

const ROUNDS = 7;

/** The goal was 45 MB where a bare Node had 40, which differs from machine to machine. */
const GOAL_RATIO = 45 / 40;

/** Resident memory, as the system sees it, after the first call. */
export function surveyMemory({ bridge, library, relays, absent }: Stage): Survey {
  const programs = [
    { name: "library's server, bundled", command: library.bundled },
    { name: "library's server, unbundled", command: library.unbundled },
    ...relays,
  ];
  return {
    title: "Resident memory after the first call",
    absent,
    async measure() {
      const bare = await figureOf("node that waits", bareNodeMegabytes);
      const own = await figureOf("bridge", () => megabytesAfterCall(bridge));
      const figures: Figure[] = [
        bare,
        own,
        {
          name: "their ratio",
          value: own.value / bare.value,
          unit: "×",
          goal: { atMost: GOAL_RATIO },
        },
      ];
      for (const { name, command } of programs) {
        figures.push(await figureOf(name, () => megabytesAfterCall(command)));
      }
      return figures;
    },
  };
}

async function figureOf(name: string, measure: () => Promise<number>): Promise<Figure> {
  const values: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) values.push(await measure());
  return { name, value: median(values), unit: "MB" };
}

async function megabytesAfterCall(command: Command): Promise<number> {
  const client = await StdioClient.open(command);
  await client.call("text", { bytes: 100 });
  const megabytes = megabytesOf(client.pid);
  await client.close();
  return megabytes;
}

async function bareNodeMegabytes(): Promise<number> {
  const child = spawnPiped(node("-e", "process.stdout.write('up'); process.stdin.resume()"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const megabytes = megabytesOf(child.pid!);
  child.kill("SIGKILL");
  return megabytes;
}

function megabytesOf(pid: number): number {
  const kibibytes = Number(
    execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }),
  );
  return (kibibytes * 1024) / 1e6;
}
