import { setTimeout as delay } from "node:timers/promises";
import type { NatsServer } from "../nats/nats-server.ts";
import type { ProxyMode } from "./tcp-proxy.ts";
import type { Writer } from "./writer.ts";

export interface Scene {
  servers: readonly NatsServer[];
  /** The office, as far as the harness knows. */
  office: Writer;
  leader: () => Promise<NatsServer>;
}

/** Does harm, waits, and undoes it. */
export type Nemesis = (scene: Scene, forMs: number) => Promise<void>;

const kill =
  (choose: (scene: Scene, leader: NatsServer) => readonly NatsServer[]): Nemesis =>
  async (scene, forMs) => {
    const victims = choose(scene, await scene.leader());
    for (const server of victims) await server.kill();
    await delay(forMs);
    for (const server of victims) server.spawn();
    for (const server of victims) await server.healthy();
  };

const pause =
  (choose: (scene: Scene, leader: NatsServer) => readonly NatsServer[]): Nemesis =>
  async (scene, forMs) => {
    const victims = choose(scene, await scene.leader());
    for (const server of victims) server.pause();
    await delay(forMs);
    for (const server of victims) server.resume();
  };

const breakWay =
  (mode: ProxyMode): Nemesis =>
  async ({ office }, forMs) => {
    for (const proxy of office.proxies) proxy.set(mode);
    await delay(forMs);
    for (const proxy of office.proxies) proxy.set("pass");
  };

const followers = ({ servers }: Scene, leader: NatsServer): NatsServer[] =>
  servers.filter((server) => server !== leader);

const forOne: Readonly<Record<string, Nemesis>> = {
  "the office works on": (_, forMs) => delay(forMs),
  "the office is stopped": async ({ office }, forMs) => {
    office.pause();
    await delay(forMs);
    office.resume();
  },
  "the office is killed": ({ office }) => office.restart(),
  "the office is mute": breakWay("mute"),
  "the office is deaf": breakWay("deaf"),
  "the office is cut off": breakWay("cut"),
  "all servers are killed": kill(({ servers }) => servers),
  "all servers are stopped": pause(({ servers }) => servers),
};

const forThree: Readonly<Record<string, Nemesis>> = {
  "the leader is killed": kill((_, leader) => [leader]),
  "the leader is stopped": pause((_, leader) => [leader]),
  "a follower is killed": kill((scene, leader) => followers(scene, leader).slice(0, 1)),
  "a follower is stopped": pause((scene, leader) => followers(scene, leader).slice(0, 1)),
  "two of three are killed": kill((scene, leader) => [
    leader,
    ...followers(scene, leader).slice(1),
  ]),
};

export const nemesesFor = (servers: number): Readonly<Record<string, Nemesis>> =>
  servers === 1 ? forOne : { ...forOne, ...forThree };
