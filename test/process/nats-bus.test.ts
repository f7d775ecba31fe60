import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Bus } from "../../src/bus/bus.ts";
import type { NatsBusOptions } from "../../src/bus/jetstream/open-nats-bus.ts";
import { openNatsBus } from "../../src/bus/jetstream/open-nats-bus.ts";
import { makeMessage } from "../support/bus/messages.ts";
import { newTeam } from "../support/bus/nats-adapter.ts";
import { claimNow } from "../support/bus/stage.ts";
import type { Nats } from "../support/nats/start-nats.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { tempDir } from "../support/temp-dir.ts";

const inDirectory = (name = "bus.db"): string => join(tempDir(), name);

/** Whether a bus over these servers promises to survive a power loss. */
async function promisesSafety(over: Nats, monitors: readonly string[]): Promise<boolean> {
  const options = { servers: over.urls, team: newTeam(), monitors };
  const bus = await openNatsBus(inDirectory(), options);
  expect(bus.capabilities()).toMatchObject({ adapter: "nats", multiHost: true });
  await bus.close();
  return bus.capabilities().powerLossSafe;
}

describe.skipIf(!hasNats)("a bus on a NATS server", () => {
  let nats: Nats;
  beforeAll(async () => {
    nats = await startNats({ sync: "always" });
  });
  afterAll(() => nats.close());

  const open = async (
    team: string,
    path = inDirectory(),
    options: Partial<NatsBusOptions> = {},
  ): Promise<Bus> => {
    const bus = await openNatsBus(path, { servers: nats.urls, team, ...options });
    onTestFinished(() => bus.close());
    return bus;
  };
  const manager = async () => {
    const connection = await connect({ servers: nats.server.url });
    onTestFinished(() => connection.close());
    return jetstreamManager(connection);
  };

  it("ends as deposed when another process opens it, and the other one has all that was acknowledged", async () => {
    const team = newTeam();
    const first = await open(team);
    const sent = makeMessage({ content: "before" });
    await first.send(sent);
    const waiting = first.claim("nobody");
    const second = await open(team);
    expect(await second.get(sent.id)).toMatchObject({ message: sent, state: "waiting" });

    // It does not know yet, and may still read and lease: nothing of that is written.
    const [delivery] = await claimNow(first);
    await expect(first.send(makeMessage())).rejects.toMatchObject({ code: "bus_unavailable" });
    expect(await first.ended).toMatchObject({
      because: "deposed",
      by: expect.stringContaining("office 2"),
    });
    expect(await waiting).toEqual([]);
    await expect(delivery!.ack()).rejects.toMatchObject({ code: "bus_closed" });
    await expect(first.send(sent)).rejects.toMatchObject({ code: "bus_closed" });
    expect(await second.counts()).toEqual({ bob: 1 });
    await second.close();
    expect(await second.ended).toEqual({ because: "closed" });
  });

  it("keeps what it acknowledged when its server is killed again and again, and goes on by itself", async () => {
    const own = await startNats({ sync: "always" });
    onTestFinished(own.close);
    const team = newTeam();
    const bus = await openNatsBus(inDirectory(), { servers: own.urls, team });
    const ids: string[] = [];
    const over = new AbortController();
    const sending = Array.from({ length: 4 }, async (_, sender) => {
      while (!over.signal.aborted) {
        const message = makeMessage({ from: `s${sender}`, content: String(ids.length) });
        await bus.send(message);
        ids.push(message.id);
      }
    });
    for (let kills = 0; kills < 3; kills += 1) {
      const before = ids.length;
      await expect.poll(() => ids.length).toBeGreaterThan(before + 10);
      await own.server.kill();
      await own.server.start();
    }
    over.abort();
    await Promise.all(sending);
    await bus.close();
    const fresh = await openNatsBus(inDirectory("fresh.db"), { servers: own.urls, team });
    const deliveries = await fresh.claim("bob", {
      max: ids.length + 1,
      maxBytes: Infinity,
      waitMs: 0,
    });
    expect(deliveries.map(({ message }) => message.id).sort()).toEqual(ids.sort());
    await fresh.close();
  });

  it("takes the largest message in parts, and more of them than a server keeps ready for one reader", async () => {
    const team = newTeam();
    const bus = await open(team);
    // About 80 MB that do not become much smaller; a server keeps 64 MB.
    const contents = Array.from({ length: 80 }, () => randomBytes(700_000).toString("base64"));
    for (const content of contents) await bus.send(makeMessage({ content }));
    await bus.close();
    const fresh = await open(team, inDirectory("fresh.db"));
    const deliveries = await fresh.claim("bob", { max: 100, maxBytes: Infinity, waitMs: 0 });
    expect(deliveries.map(({ message }) => message.content)).toEqual(contents);
  });

  it("refuses with disk_full when the log is full, changes nothing, and still reads", async () => {
    const bus = await open(newTeam(), inDirectory(), { maxLogBytes: 300_000 });
    const sent: string[] = [];
    const fill = async (): Promise<void> => {
      for (;;) {
        const message = makeMessage({ content: randomBytes(30_000).toString("base64") });
        await bus.send(message);
        sent.push(message.id);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: "disk_full" });
    expect(sent.length).toBeGreaterThan(3);
    expect(await bus.counts()).toEqual({ bob: sent.length });
    // What is smaller may still fit.
    const claimed = await claimNow(bus);
    expect(claimed.map(({ message }) => message.id)).toEqual(sent);
    expect(await claimed[0]!.ack()).toBe(true);
  });

  it("refuses to open when its log has gone, and begins no other", async () => {
    const team = newTeam();
    const path = inDirectory();
    const bus = await open(team, path);
    await bus.send(makeMessage());
    await bus.close();
    const { streams } = await manager();
    await streams.delete(`SB_${team}_LOG`);
    await expect(open(team, path)).rejects.toMatchObject({
      code: "bus_invalid",
      hint: expect.stringContaining("Restore the servers' store"),
    });
    await expect(streams.info(`SB_${team}_LOG`)).rejects.toThrow("stream not found");
    // Another log of the same name is not its own.
    await (await open(team)).close();
    await expect(open(team, path)).rejects.toMatchObject({ code: "bus_invalid" });
  });

  it("refuses a stream that is no log, or may lose entries", async () => {
    const { streams } = await manager();
    const team = newTeam();
    await streams.add({ name: `SB_${team}_LOG`, subjects: [`sb.${team}.log.*`] });
    await expect(open(team)).rejects.toMatchObject({
      code: "bus_invalid",
      message: expect.stringContaining("is not the log of a team"),
    });
    await streams.update(`SB_${team}_LOG`, {
      metadata: { "sb.log_id": randomUUID(), "sb.format": "1" },
    });
    await expect(open(team)).rejects.toMatchObject({
      code: "bus_invalid",
      message: expect.stringContaining('discard is "old"'),
    });
  });

  it("refuses a name that is no subject, and an address where nothing answers", async () => {
    for (const team of ["", "a.b", "a b", "a>", "ä"]) {
      await expect(open(team)).rejects.toMatchObject({ code: "invalid_params" });
    }
    const servers = ["nats://127.0.0.1:1"];
    await expect(open(newTeam(), inDirectory(), { servers })).rejects.toMatchObject({
      code: "bus_unavailable",
      message: expect.stringContaining("127.0.0.1:1"),
    });
  });

  it("refuses a server that is too old", async () => {
    const old = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.write(
        `INFO {"server_id":"x","version":"2.11.11","proto":1,"headers":true,"max_payload":1048576}\r\n`,
      );
      socket.on("data", (data) => String(data).includes("PING") && socket.write("PONG\r\n"));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void old.close());
    await once(old, "listening");
    const servers = [`nats://127.0.0.1:${(old.address() as AddressInfo).port}`];
    await expect(open(newTeam(), inDirectory(), { servers })).rejects.toMatchObject({
      code: "bus_invalid",
      message: expect.stringContaining("2.11.11; 2.12 or newer"),
    });
  });

  it("promises to survive a power loss only when every server was seen to sync always", async () => {
    const { monitorUrl } = nats.server;
    expect(await promisesSafety(nats, [monitorUrl])).toBe(true);
    expect(await promisesSafety(nats, [])).toBe(false);
    const lax = await startNats();
    onTestFinished(lax.close);
    expect(await promisesSafety(lax, [lax.server.monitorUrl])).toBe(false);
    // What another server says is no promise of this one.
    expect(await promisesSafety(lax, [monitorUrl, "http://127.0.0.1:1"])).toBe(false);
    const three = await startNats({ servers: 3, sync: "always" });
    onTestFinished(three.close);
    const all = three.servers.map((server) => server.monitorUrl);
    expect(await promisesSafety(three, all)).toBe(true);
    expect(await promisesSafety(three, all.slice(1))).toBe(false);
  });
});
