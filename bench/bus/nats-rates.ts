import { randomUUID } from "node:crypto";
import { getServer } from "../../scripts/nats-server/get-server.ts";
import type { Bus } from "../../src/bus/bus.ts";
import { openNatsBus } from "../../src/bus/jetstream/open-nats-bus.ts";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { makePlace } from "./place.ts";
import { sendFor } from "./send-for.ts";

const ROUNDS = 5;
const ROUND_MS = 600;
const SENDERS = [1, 16, 64] as const;
const ways = [
  { name: "SQLite (survives a power loss)", servers: 0, sync: "always" },
  {
    name: "1 NATS server, default sync (may lose the last two minutes)",
    servers: 1,
    sync: "default",
  },
  { name: "1 NATS server, sync always (survives a power loss)", servers: 1, sync: "always" },
  { name: "3 NATS servers, default sync (survives one kill)", servers: 3, sync: "default" },
  { name: "3 NATS servers, sync always (survives a power loss)", servers: 3, sync: "always" },
] as const;
/** For 64 senders, as a part of SQLite's rate. */
const goals: Readonly<Record<string, number>> = { "1 default": 0.7, "3 always": 0.5 };

type Way = (typeof ways)[number];

/** In each round every way has its turn, because the speed of a disk changes from second to second. */
export async function surveyNatsRates(): Promise<Survey> {
  const title = "Durable messages a second, 1 KB each: SQLite and NATS on this machine";
  const missing = await missingServer();
  if (missing !== undefined) {
    const absent = [{ name: "all", reason: missing }];
    return { title, absent, measure: () => Promise.resolve([]) };
  }
  return { title, measure };
}

async function missingServer(): Promise<string | undefined> {
  try {
    process.env["NATS_SERVER"] = (await getServer((line) => console.error(line))).file;
    return undefined;
  } catch (error) {
    return String(error);
  }
}

async function measure(): Promise<Figure[]> {
  const place = makePlace();
  const { startNats } = await import("../../test/support/nats/start-nats.ts");
  const opened: { way: Way; bus: Bus; close: () => Promise<void> }[] = [];
  for (const [index, way] of ways.entries()) {
    const path = place.path(`bus-${index}.db`);
    if (way.servers === 0) {
      const bus = await openSqliteBus(path);
      opened.push({ way, bus, close: () => bus.close() });
      continue;
    }
    const { servers, sync } = way;
    const nats = await startNats({ servers, sync, parentDirectory: place.path("") });
    const bus = await openNatsBus(path, { servers: nats.urls, team: randomUUID() });
    opened.push({ way, bus, close: () => bus.close().then(nats.close) });
  }
  const figures = await compareRates(opened);
  for (const { close } of opened) await close();
  place.remove();
  return figures;
}

async function compareRates(opened: readonly { way: Way; bus: Bus }[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const senders of SENDERS) {
    const rates = opened.map((): number[] => []);
    const delays = opened.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [index, { bus }] of opened.entries()) {
        const { perSecond, delaysMs } = await sendFor(bus, senders, ROUND_MS);
        rates[index]!.push(perSecond);
        delays[index]!.push(...delaysMs);
      }
    }
    const who = `${senders} sender${senders === 1 ? "" : "s"}`;
    for (const [index, { way }] of opened.entries()) {
      const ratio = median(rates[index]!.map((rate, round) => rate / rates[0]![round]!));
      const goal = senders === 64 ? goals[`${way.servers} ${way.sync}`] : undefined;
      const sorted = delays[index]!.toSorted((a, b) => a - b);
      figures.push(
        { name: `${who}: ${way.name}`, value: median(rates[index]!), unit: "/s" },
        { name: `${who}: the same, median delay`, value: median(sorted), unit: "ms" },
        {
          name: `${who}: the same ÷ SQLite`,
          value: ratio,
          unit: "×",
          ...(goal !== undefined && { goal: { atLeast: goal } }),
        },
      );
    }
  }
  return figures;
}
