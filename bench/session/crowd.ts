import { once } from "node:events";
import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { startRehearsal } from "../../src/rehearsal/index.ts";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { takeLines } from "../bridge/lines.ts";
import { DELTAS, inPlace, said, script } from "./place.ts";
import { Visit } from "./visit.ts";
import { agentSocket } from "./ways.ts";

const ROUNDS = 7;
const CLIENTS = 50;
/** What the others lose by a client that does not read must drown in the noise. */
const NOT_MEASURABLE = 1.1;

/** One client, fifty, and fifty beside one that does not read: the same turns by turns. */
export function surveyCrowd(): Survey {
  return {
    title: `${CLIENTS} clients on one session, and one that does not read`,
    async measure() {
      const rehearsal = await startRehearsal({ script });
      const inSession = <T>(clients: number, stuck: boolean, work: (crowd: Crowd) => Promise<T>) =>
        inPlace(rehearsal, async (place) => {
          const crowd = await Crowd.gather(await Visit.begin(agentSocket, place), clients, stuck);
          try {
            return await work(crowd);
          } finally {
            await crowd.close();
          }
        });
      try {
        return await inSession(0, false, (alone) =>
          inSession(CLIENTS - 1, false, (many) =>
            inSession(CLIENTS - 1, true, (stuck) => compareCrowds(alone, many, stuck)),
          ),
        );
      } finally {
        await rehearsal.close();
      }
    },
  };
}

async function compareCrowds(alone: Crowd, many: Crowd, stuck: Crowd): Promise<Figure[]> {
  const crowds = [alone, many, stuck];
  for (const crowd of crowds) await crowd.turn(said.flood);
  const samples = new Map(crowds.map((crowd) => [crowd, [] as CrowdFigures[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    console.error(`session: crowd, round ${round} of ${ROUNDS} …`);
    for (const crowd of round % 2 === 0 ? crowds : crowds.toReversed()) {
      const figures = await crowd.turn(said.tell);
      if (round > 0) samples.get(crowd)!.push(figures);
    }
  }
  const valuesOf = (crowd: Crowd, key: keyof CrowdFigures): number[] =>
    samples.get(crowd)!.map((sample) => sample[key]);
  const ratio = (key: keyof CrowdFigures): number =>
    median(valuesOf(stuck, key).map((value, round) => value / valuesOf(many, key)[round]!));
  const named = (name: string, crowd: Crowd): Figure[] => [
    {
      name: `${name}: until all have the end`,
      value: median(valuesOf(crowd, "allMs")),
      unit: "ms",
    },
    { name: `${name}: CPU of the host`, value: median(valuesOf(crowd, "cpuMs")), unit: "ms" },
    { name: `${name}: RSS`, value: crowd.visit.residentMegabytes, unit: "MB" },
  ];
  const goal = { atMost: NOT_MEASURABLE };
  return [
    ...named(`${DELTAS} deltas, 1 client`, alone),
    ...named(`${CLIENTS} clients`, many),
    ...named(`${CLIENTS} clients and a stuck one`, stuck),
    { name: "    time, × without the stuck one", value: ratio("allMs"), unit: "×", goal },
    { name: "    CPU, × without the stuck one", value: ratio("cpuMs"), unit: "×", goal },
  ];
}

interface CrowdFigures {
  allMs: number;
  cpuMs: number;
}

/** A session with the one who talks, others who read, and maybe one who never does. */
class Crowd {
  readonly visit: Visit;
  readonly #readers: Socket[] = [];
  readonly #stuck: Socket[] = [];
  /** Readers that have seen the end of the turn, and who waits for all of them. */
  #ended = 0;
  #all = Promise.withResolvers<void>();

  private constructor(visit: Visit) {
    this.visit = visit;
  }

  static async gather(visit: Visit, readers: number, stuck: boolean): Promise<Crowd> {
    const crowd = new Crowd(visit);
    for (let count = 0; count < readers; count += 1) await crowd.#addReader();
    if (stuck) {
      const socket = await crowd.#connect();
      socket.pause();
      crowd.#stuck.push(socket);
    }
    return crowd;
  }

  async turn(text: string): Promise<CrowdFigures> {
    this.#ended = 0;
    this.#all = Promise.withResolvers();
    if (this.#readers.length === 0) this.#all.resolve();
    const startMs = performance.now();
    const startCpuMs = this.visit.cpuMs;
    await Promise.all([this.visit.turn(text), this.#all.promise]);
    return { allMs: performance.now() - startMs, cpuMs: this.visit.cpuMs - startCpuMs };
  }

  async close(): Promise<void> {
    for (const socket of [...this.#readers, ...this.#stuck]) socket.destroy();
    await this.visit.peer.close();
  }

  async #addReader(): Promise<void> {
    const socket = await this.#connect();
    takeLines(socket, (line) => {
      // To look at all of it would take the machine longer than the session does.
      if (!line.subarray(0, 80).includes('"type":"done"')) return;
      this.#ended += 1;
      if (this.#ended === this.#readers.length) this.#all.resolve();
    });
    this.#readers.push(socket);
  }

  async #connect(): Promise<Socket> {
    const socket = createConnection(this.visit.peer.socketPath);
    socket.on("error", () => {});
    await once(socket, "connect");
    return socket;
  }
}
