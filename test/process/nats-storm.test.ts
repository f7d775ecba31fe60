import { randomInt } from "node:crypto";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { newTeam } from "../support/bus/nats-adapter.ts";
import type { Nats } from "../support/nats/start-nats.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import type { NatsServer } from "../support/nats/nats-server.ts";
import type { Scene } from "../support/nats-storm/nemeses.ts";
import { nemesesFor } from "../support/nats-storm/nemeses.ts";
import { startProxy } from "../support/nats-storm/tcp-proxy.ts";
import { judgeLog } from "../support/nats-storm/verdict.ts";
import { Writer } from "../support/nats-storm/writer.ts";
import { tempDir } from "../support/temp-dir.ts";

const { NATS_STORM_ROUNDS = "10", NATS_STORM_SEED = String(randomInt(1e6)) } = process.env;
const rounds = Number(NATS_STORM_ROUNDS);
/** An election alone takes up to nine seconds. */
const ROUND_MS = 60_000;
const MIN_PROGRESS = 20;

describe.skipIf(!hasNats).each([{ servers: 1 }, { servers: 3 }] as const)(
  "two offices on $servers NATS servers that take the team from each other",
  ({ servers }) => {
    it(
      `lose and double nothing in ${rounds} rounds of kills, stops and cuts`,
      { timeout: 60_000 + rounds * ROUND_MS },
      async () => {
        const dice = diceOf(Number(NATS_STORM_SEED));
        const nats = await startNats({ servers });
        onTestFinished(nats.close);
        const team = newTeam();
        const writers = [await startWriter("a", nats, team), await startWriter("b", nats, team)];
        const names = Object.keys(nemesesFor(servers));
        const leader = await leaderFinder(nats, `SB_${team}_LOG`);
        let office = writers[0]!;
        office.take();
        await progress(writers, office);
        for (let round = 0; round < rounds; round += 1) {
          const name = names[(round + Number(NATS_STORM_SEED)) % names.length]!;
          const scene: Scene = { servers: nats.servers, office, leader };
          const forMs = 200 + dice() * (rounds > 10 ? 4_000 : 1_000);
          const harm = nemesesFor(servers)[name]!(scene, forMs);
          const next = writers.find((writer) => writer !== office)!;
          await new Promise((resolve) => setTimeout(resolve, dice() * 300));
          next.take();
          await harm;
          await progress(writers, next, `round ${round}: ${name}`);
          office = next;
        }
        for (const writer of writers) await writer.kill();
        const acknowledged = writers.flatMap((writer) => writer.acknowledged);
        const verdict = await judgeLog(nats.urls, team, acknowledged);
        console.error(
          `seed ${NATS_STORM_SEED}, ${servers} servers: ${rounds} rounds, ${acknowledged.length} acknowledged, ` +
            `${verdict.messages} messages, ${verdict.entries} entries, ${verdict.offices} offices`,
        );
        expect(verdict.problems).toEqual([]);
        expect(writers.flatMap(({ problems }) => problems)).toEqual([]);
        // A writer that does not know yet that it was deposed counts as the office: such a round has no takeover.
        expect(verdict.offices).toBeGreaterThan(rounds / 2);
        expect(acknowledged.length).toBeGreaterThan(rounds * MIN_PROGRESS);
      },
    );
  },
);

async function startWriter(name: string, nats: Nats, team: string): Promise<Writer> {
  const proxies = await Promise.all(nats.urls.map(startProxy));
  const writer = new Writer({ name, directory: tempDir(), team }, proxies);
  onTestFinished(async () => {
    await writer.kill();
    for (const proxy of proxies) proxy.close();
  });
  return writer;
}

/** Until `next` is or was the office, and somebody gets acknowledgements again. */
async function progress(writers: readonly Writer[], next: Writer, what = "begin"): Promise<void> {
  const takeOvers = next.takeOvers;
  const count = () => writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  const goal = count() + MIN_PROGRESS;
  const deadline = performance.now() + ROUND_MS;
  for (let looks = 0; ; looks += 1) {
    const isOver = next.isOffice || next.takeOvers > takeOvers;
    if (isOver && count() >= goal) return;
    if (performance.now() > deadline) throw new Error(`${what}: nothing is acknowledged any more`);
    // A taker that failed, or lost, tries again.
    if (looks % 20 === 0 && !next.isOffice) next.take();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

async function leaderFinder(nats: Nats, stream: string): Promise<() => Promise<NatsServer>> {
  const connection = await connect({ servers: [...nats.urls], maxReconnectAttempts: -1 });
  onTestFinished(() => connection.close());
  const manager = await jetstreamManager(connection, { checkAPI: false });
  return async () => {
    for (;;) {
      try {
        const { cluster } = await manager.streams.info(stream);
        const found = nats.servers.find(({ name }) => name === cluster?.leader);
        if (found) return found;
        if (nats.servers.length === 1) return nats.server;
      } catch {
        // It is being chosen.
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
}

/** Numbers from 0 to 1, the same for the same seed. */
function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7f_ff_ff_ff;
    return (state >>> 8) / 0x7f_ff_ff;
  };
}
