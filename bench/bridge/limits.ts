import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { startNearHost } from "./stage.ts";
import { StdioClient } from "./stdio-client.ts";
import type { Way, Ways } from "./ways.ts";

const CALLS = 1000;
const STARTS = 9;

/** The bounds that the IPC contract sets itself, in plain time: the tool takes none, so all of it is overhead. */
export function surveyLimits({ contractBridge, bridge }: Ways): Survey {
  return {
    title: "The limits of the IPC contract",
    async measure() {
      const readyMs: number[] = [];
      for (let start = 0; start < STARTS; start += 1) readyMs.push(await timeReadyMs());
      return [
        ...(await overheadOf("by the contract alone", contractBridge)),
        ...(await overheadOf("both ends ours", bridge)),
        {
          name: "Ready: host started, bridge started, tools listed",
          value: median(readyMs),
          unit: "ms",
          goal: { atMost: 500 },
        },
      ];
    },
  };
}

async function overheadOf(kind: string, way: Way): Promise<Figure[]> {
  const callMs: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    const startMs = performance.now();
    await way.call("text", { bytes: 100 });
    callMs.push(performance.now() - startMs);
  }
  const slow = callMs.toSorted((a, b) => a - b)[Math.floor(CALLS * 0.99)]!;
  const name = `IPC overhead, ${kind}`;
  return [
    { name: `${name}: median`, value: median(callMs), unit: "ms", goal: { atMost: 10 } },
    { name: `${name}: 99 of 100 calls`, value: slow, unit: "ms" },
  ];
}

async function timeReadyMs(): Promise<number> {
  const startMs = performance.now();
  const host = await startNearHost();
  const client = await StdioClient.open(host.mcpServerConfig());
  await client.request("tools/list");
  const elapsedMs = performance.now() - startMs;
  await client.close();
  await host.stop();
  return elapsedMs;
}
