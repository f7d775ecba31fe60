import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { getServer } from "../../scripts/nats-server/get-server.ts";
import { systemClock } from "../../src/time/clock.ts";
import { connectNats } from "../../src/tunnel/nats/connect-nats.ts";
import { Tunnel } from "../../src/tunnel/tunnel.ts";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";

const AGENTS = 50;
/** Each agent writes so many lines of this size in a second, as a model does that speaks. */
const PER_SECOND = 100;
const LINE_BYTES = 200;
const ROUNDS = 5;
const ROUND_MS = 2000;
const P99_MS = 50;
const never = new AbortController().signal;

/** One way from agents to the team: the end that writes and the end that reads, for each agent. */
interface Way {
  readonly name: string;
  readonly lines: readonly (readonly [from: Duplex, to: Duplex])[];
  readonly close: () => Promise<void>;
}

/** How long a line of a session is on its way to the team. Each way has its turn in each round. */
export async function surveyTunnel(): Promise<Survey> {
  const title = `Delay of a line of ${LINE_BYTES} bytes, ${AGENTS} agents with ${PER_SECOND} lines a second each: a Unix socket and the tunnel`;
  try {
    process.env["NATS_SERVER"] = (await getServer((line) => console.error(line))).file;
    return { title, measure };
  } catch (error) {
    const absent = [{ name: "all", reason: String(error) }];
    return { title, absent, measure: () => Promise.resolve([]) };
  }
}

async function measure(): Promise<Figure[]> {
  const ways = [await unixSockets(), await tunnel()];
  const delays = ways.map((): number[][] => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, way] of ways.entries()) delays[index]!.push(await speak(way));
  for (const way of ways) await way.close();
  const percentiles = (part: number): number[] =>
    delays.map((rounds) => median(rounds.map((round) => percentile(round, part))));
  return [0.5, 0.99].flatMap((part) => {
    const [plain = 0, through = 0] = percentiles(part);
    const name = `P${part * 100}`;
    return [
      { name: `${name}: ${ways[0]!.name}`, value: plain, unit: "ms" },
      {
        name: `${name}: ${ways[1]!.name}`,
        value: through,
        unit: "ms",
        ...(part === 0.99 && { goal: { atMost: P99_MS } }),
      },
      { name: `${name}: the tunnel ÷ a Unix socket`, value: through / plain, unit: "×" },
    ];
  });
}

/** Every line has the time at which it was to be written: a writer that is held up counts too. */
async function speak({ lines }: Way): Promise<number[]> {
  const delays: number[] = [];
  const readers = lines.map(([, to]) => {
    let rest = "";
    const read = (chunk: Buffer): void => {
      const nowMs = performance.now();
      const parts = (rest + chunk.toString("latin1")).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) delays.push(nowMs - Number.parseFloat(part));
    };
    to.on("data", read);
    return () => to.off("data", read);
  });
  const beganMs = performance.now();
  const expected = (AGENTS * PER_SECOND * ROUND_MS) / 1000;
  let written = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(
        expected,
        Math.floor(((performance.now() - beganMs) * AGENTS * PER_SECOND) / 1000),
      );
      for (; written < due; written += 1) {
        const atMs = beganMs + (written * 1000) / (AGENTS * PER_SECOND);
        lines[written % AGENTS]![0].write(`${String(atMs).padEnd(LINE_BYTES - 1)}\n`);
      }
      if (delays.length < expected) return;
      clearInterval(timer);
      resolve();
    }, 1);
  });
  for (const stop of readers) stop();
  return delays;
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

async function unixSockets(): Promise<Way> {
  const directory = mkdtempSync(join(tmpdir(), "sb-bench-"));
  const path = join(directory, "socket");
  const server: Server = createServer();
  server.listen(path);
  await once(server, "listening");
  const lines: [Duplex, Duplex][] = [];
  for (let index = 0; index < AGENTS; index += 1) {
    const accepted = once(server, "connection") as Promise<[Duplex]>;
    const from = connect(path);
    lines.push([from, (await accepted)[0]]);
  }
  return {
    name: "a Unix socket",
    lines,
    async close() {
      for (const [from, to] of lines) {
        from.destroy();
        to.destroy();
      }
      server.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Through a server of its own, as from a host to the team. */
async function tunnel(): Promise<Way> {
  const { startNats } = await import("../../test/support/nats/start-nats.ts");
  const nats = await startNats();
  const [here, there] = await Promise.all([
    connectNats({ url: nats.server.url, name: "team" }),
    connectNats({ url: nats.server.url, name: "h1" }),
  ]);
  const coming: ((stream: Duplex) => void)[] = [];
  const accept = async () => (stream: Duplex) => coming.shift()?.(stream);
  const common = { clock: systemClock, accept };
  const team = new Tunnel({ ...common, carrier: here.teamEnd("bench").to("h1") });
  const host = new Tunnel({ ...common, carrier: there.hostEnd("bench", "h1") });
  while (!team.isJoined || !host.isJoined) await new Promise((next) => setTimeout(next, 20));
  const lines: [Duplex, Duplex][] = [];
  for (let index = 0; index < AGENTS; index += 1) {
    const accepted = new Promise<Duplex>((resolve) => coming.push(resolve));
    const to = await team.open({ agent: String(index) }, never);
    lines.push([await accepted, to]);
  }
  return {
    name: "the tunnel",
    lines,
    async close() {
      for (const each of [team, host]) each.close();
      await Promise.all([here.close(), there.close()]);
      await nats.close();
    },
  };
}
