import { once } from "node:events";
import { WebSocket } from "ws";
import { GATEWAY_PROTOCOL, KEY_PROTOCOL_PREFIX } from "../../src/wire/gateway.ts";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { GatewayProcess } from "./gateway-process.ts";
import { LongSession } from "./long-session.ts";

const LIVE = 50;
/** A person may have eight sockets. */
const SOCKETS_OF_A_PERSON = 8;
const PEOPLE = Math.ceil((LIVE + 1) / SOCKETS_OF_A_PERSON);
/** The browser that does not read wants all of them: more than fits into what lies between it and the session. */
const EVENTS_BEFORE = 200_000;
const { BENCH_WEB_CROWD_EVENTS = "2000", BENCH_WEB_CROWD_ROUNDS = "7" } = process.env;
const EVENTS = Number(BENCH_WEB_CROWD_EVENTS);
const ROUNDS = Number(BENCH_WEB_CROWD_ROUNDS);
/** The gateway gives up a browser that takes nothing for a minute: so long one is there at least. */
const GIVEN_UP_MS = 40_000;
const MAX_RATIO = 1.1;

/** Fifty browsers at a gateway, and fifty beside one that does not read: by turns. */
export function crowd(): Survey {
  return {
    title: `A gateway with ${LIVE} browsers, and one that does not read`,
    async measure() {
      await using alone = await Crowd.gather(false);
      await using beside = await Crowd.gather(true);
      const samples = new Map([alone, beside].map((each) => [each, [] as Sample[]]));
      const endMs = performance.now() + GIVEN_UP_MS;
      for (let round = 0; round <= ROUNDS && performance.now() < endMs; round += 1) {
        const order = round % 2 === 0 ? [alone, beside] : [beside, alone];
        for (const each of order) {
          const sample = await each.round();
          // The first one warms up.
          if (round > 0) samples.get(each)?.push(sample);
        }
      }
      return figuresOf(samples.get(alone) ?? [], samples.get(beside) ?? []);
    },
  };
}

interface Sample {
  readonly allMs: number;
  /** Of the gateway. */
  readonly cpuMs: number;
}

function figuresOf(alone: readonly Sample[], beside: readonly Sample[]): Figure[] {
  const ratio = (key: keyof Sample): number =>
    median(beside.map((sample, round) => sample[key] / (alone[round]?.[key] ?? Number.NaN)));
  const goal = { atMost: MAX_RATIO };
  const all = (samples: readonly Sample[]): number => median(samples.map(({ allMs }) => allMs));
  return [
    { name: `${EVENTS} events, until all have the last`, value: all(alone), unit: "ms" },
    { name: "    beside one that does not read", value: all(beside), unit: "ms" },
    { name: "    time, × without it", value: ratio("allMs"), unit: "×", goal },
    { name: "    CPU of the gateway, × without it", value: ratio("cpuMs"), unit: "×", goal },
  ];
}

/** A session, its gateway and those who look on. */
class Crowd implements AsyncDisposable {
  readonly #session: LongSession;
  readonly #gateway: GatewayProcess;
  readonly #live: readonly WebSocket[];
  readonly #dead: WebSocket | undefined;

  private constructor(
    session: LongSession,
    gateway: GatewayProcess,
    live: readonly WebSocket[],
    dead: WebSocket | undefined,
  ) {
    this.#session = session;
    this.#gateway = gateway;
    this.#live = live;
    this.#dead = dead;
  }

  static async gather(withDead: boolean): Promise<Crowd> {
    const session = await LongSession.serve(EVENTS_BEFORE);
    const gateway = await GatewayProcess.start(session.socket, PEOPLE);
    const people = await Promise.all(gateway.links.map(signIn));
    const live: WebSocket[] = [];
    for (let at = 0; at < LIVE; at += 1) {
      live.push(await browse(gateway.origin, personOf(people, at), session.lastSeq));
    }
    const dead = withDead ? await browse(gateway.origin, personOf(people, LIVE), 0) : undefined;
    return new Crowd(session, gateway, live, dead);
  }

  async round(): Promise<Sample> {
    const cpuBefore = this.#gateway.cpuMs;
    const began = performance.now();
    this.#session.sayAtOnce(EVENTS);
    const { lastSeq } = this.#session;
    await Promise.all(this.#live.map((socket) => gets(socket, lastSeq)));
    return { allMs: performance.now() - began, cpuMs: this.#gateway.cpuMs - cpuBefore };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [...this.#live, this.#dead]) socket?.terminate();
    await this.#gateway[Symbol.asyncDispose]();
    await this.#session[Symbol.asyncDispose]();
  }
}

interface Keys {
  readonly cookie: string;
  readonly key: string;
}

/** Uses a link as the page does. */
async function signIn(link: string): Promise<Keys> {
  const { origin, hash } = new URL(link);
  const answer = await fetch(`${origin}/auth/enter`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: hash.replace("#enter=", "") }),
  });
  const { key } = (await answer.json()) as { key: string };
  const [cookie = ""] = answer.headers.getSetCookie()[0]?.split(";") ?? [];
  return { cookie, key };
}

function personOf(people: readonly Keys[], socket: number): Keys {
  return people[Math.floor(socket / SOCKETS_OF_A_PERSON)] ?? { cookie: "", key: "" };
}

/** A browser that is at the end of the log, or, from 0 on, one that reads nothing of all that it is sent. */
async function browse(origin: string, { cookie, key }: Keys, since: number): Promise<WebSocket> {
  const url = `${origin.replace("http", "ws")}/ws/session`;
  const protocols = [GATEWAY_PROTOCOL, KEY_PROTOCOL_PREFIX + key];
  const socket = new WebSocket(url, protocols, { origin, headers: { cookie } });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "attach", since }));
  if (since === 0) socket.pause();
  else await until(socket, (line) => line.includes('"type":"attached"'));
  return socket;
}

/** Only the ends of turns are looked at: to read all would take longer than the gateway does. */
const gets = (socket: WebSocket, seq: number): Promise<void> =>
  until(socket, (line) => {
    const isEnd = line.subarray(0, 120).includes('"type":"done"');
    return isEnd && (JSON.parse(line.toString()) as { seq: number }).seq >= seq;
  });

function until(socket: WebSocket, isIt: (line: Buffer) => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const take = (data: unknown): void => {
      if (!isIt(data as Buffer)) return;
      socket.off("message", take);
      socket.off("close", fail);
      resolve();
    };
    const fail = (code: number): void => {
      reject(new Error(`A browser's socket was closed with ${code}.`));
    };
    socket.on("message", take);
    socket.once("close", fail);
  });
}
