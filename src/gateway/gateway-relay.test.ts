import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { Browser } from "../../test/support/gateway-stage.ts";
import { GatewayStage, LineServer, owner, viewer } from "../../test/support/gateway-stage.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { GATEWAY_PING_MS } from "../wire/gateway.ts";

const MEBIBYTE = 1024 * 1024;
const MAX_BYTES = 10_485_760;

async function stageOf(): Promise<{ stage: GatewayStage; server: LineServer; browser: Browser }> {
  const server = await new LineServer().start();
  const stage = await GatewayStage.start({ target: { kind: "session", socket: server.path } });
  const browser = await stage.browse("/ws/session", await stage.signIn()).opened();
  await expect.poll(() => server.sockets.length).toBe(1);
  return { stage, server, browser };
}

const lines = fc.array(
  fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom("", "\r", "\u2028\u2029", "\u0085 \u000b", "\0", "日本語", "💡"),
    fc.integer({ min: 1, max: 300_000 }).map((length) => "x".repeat(length)),
  ),
  { minLength: 1, maxLength: 20 },
);

describe("the relay", () => {
  it("[GW-1] passes every line of the server on as one text frame with the same bytes, however they are cut", async () => {
    const { server, browser } = await stageOf();
    const [socket] = server.sockets;
    await fc.assert(
      fc.asyncProperty(lines, fc.integer({ min: 1, max: 100_000 }), async (raw, chunk) => {
        const texts = raw.map((text) => text.replaceAll("\n", "").toWellFormed());
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""));
        browser.frames.length = 0;
        for (let at = 0; at < bytes.length; at += chunk)
          socket?.write(bytes.subarray(at, at + chunk));
        await expect.poll(() => browser.frames.length, { interval: 2 }).toBe(texts.length);
        expect(browser.texts).toEqual(texts);
      }),
      { numRuns: 60 },
    );
  });

  it("[GW-1] passes every text frame on as one line, with blanks for line ends", async () => {
    const { server, browser } = await stageOf();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: "binary", maxLength: 60 }), { maxLength: 20 }),
        async (raw) => {
          const texts = [...raw, '{\r\n"a":\n1}\r', ""].map((text) => text.toWellFormed());
          server.received.length = 0;
          for (const text of texts) browser.socket.send(text);
          const expected = texts.map((text) => `${text.replaceAll(/[\r\n]/g, " ")}\n`).join("");
          await expect.poll(() => server.text.length, { interval: 2 }).toBe(expected.length);
          expect(server.text).toBe(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("[GW-1] passes a line of ten megabytes in both directions, and closes for a byte more", async () => {
    const { server, browser } = await stageOf();
    const longest = Buffer.alloc(MAX_BYTES, "x");
    browser.socket.send(longest, { binary: false });
    const bytes = (): number => server.received.reduce((sum, { length }) => sum + length, 0);
    await expect.poll(bytes).toBe(MAX_BYTES + 1);
    server.sockets[0]?.write(Buffer.concat([longest, Buffer.from("\n")]));
    await expect.poll(() => browser.frames[0]?.length).toBe(MAX_BYTES);
    browser.socket.send(`${"x".repeat(MAX_BYTES)}y`);
    expect(await browser.ended).toMatchObject({ code: 1009 });
    expect(bytes()).toBe(MAX_BYTES + 1);
  });

  it("closes with 1009 when the server's line is too long, and holds none of it", async () => {
    const { server, browser } = await stageOf();
    server.sockets[0]?.write(Buffer.alloc(MAX_BYTES + 1, "x"));
    expect(await browser.ended).toMatchObject({ code: 1009 });
    expect(browser.frames).toEqual([]);
  });

  it("[GW-1] refuses binary frames with 1003, and offers no compression", async () => {
    const { server, browser } = await stageOf();
    expect(browser.socket.extensions).toBe("");
    browser.socket.send(Buffer.from("{}"), { binary: true });
    expect(await browser.ended).toMatchObject({ code: 1003 });
    expect(server.received).toEqual([]);
  });

  it("hands the browser's last frame to the server before it hangs up", async () => {
    const { server, browser } = await stageOf();
    browser.socket.send("last");
    browser.socket.close();
    await expect.poll(() => server.sockets[0]?.closed).toBe(true);
    expect(server.text).toBe("last\n");
  });

  it("[GW-6] closes with 4503 when the server goes, behind all that it said, and finds its successor", async () => {
    const { stage, server, browser } = await stageOf();
    server.sockets[0]?.end('{"last":1}\nhalf a li');
    expect(await browser.ended).toMatchObject({ code: 4503 });
    expect(browser.texts).toEqual(['{"last":1}']);
    await server.stop();
    const keys = await stage.signIn();
    expect(await stage.browse("/ws/session", keys).ended).toMatchObject({ code: 4503 });
    const next = await new LineServer(server.path).start();
    const again = await stage.browse("/ws/session", keys).opened();
    await expect.poll(() => next.sockets.length).toBe(1);
    next.sockets[0]?.write("hello\n");
    await expect.poll(() => again.texts).toEqual(["hello"]);
  });
});

describe("a slow browser", () => {
  it("[GW-2] makes its server wait, costs about a mebibyte, and gets everything when it reads on", async () => {
    const { stage, server, browser } = await stageOf();
    const other = await stage.browse("/ws/session", await stage.signIn()).opened();
    await expect.poll(() => server.sockets.length).toBe(2);
    const [slow, quick] = server.sockets;
    browser.socket.pause();
    const line = Buffer.from(`${"x".repeat(64 * 1024 - 1)}\n`);
    const before = process.memoryUsage().arrayBuffers;
    let sent = 0;
    // Until neither the gateway nor the system takes more.
    for (let idle = 0; idle < 20;) {
      if (slow!.writableLength < line.length) {
        slow!.write(line);
        sent += 1;
        idle = 0;
      } else idle += 1;
      quick!.write('{"live":1}\n');
      const count = other.frames.length;
      await expect.poll(() => other.frames.length, { interval: 1 }).toBeGreaterThan(count);
    }
    expect(sent).toBeGreaterThan(16);
    expect(sent).toBeLessThan(1_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * MEBIBYTE);
    slow!.write("end\n");
    browser.socket.resume();
    await expect.poll(() => browser.frames.length).toBe(sent + 1);
    expect(browser.texts.at(-1)).toBe("end");
  });

  it("[GW-2] is closed with 1013 when it has taken nothing for a minute, and not before", async () => {
    const { stage, server, browser } = await stageOf();
    await fill(server, browser);
    for (let count = 0; count < 4; count += 1) stage.clock.pass(GATEWAY_PING_MS);
    expect(browser.socket.readyState).toBe(browser.socket.OPEN);
    expect(server.sockets[0]?.closed).toBe(false);
    stage.clock.pass(GATEWAY_PING_MS);
    browser.socket.resume();
    expect(await browser.ended).toMatchObject({ code: 1013 });
    await expect.poll(() => server.sockets[0]?.closed).toBe(true);
  });

  it("is cut off when it does not even take the close", async () => {
    const { stage, server, browser } = await stageOf();
    await fill(server, browser);
    stage.clock.pass(5 * GATEWAY_PING_MS);
    expect(server.sockets[0]?.closed).toBe(false);
    stage.clock.pass(5_000);
    await expect.poll(() => server.sockets[0]?.closed).toBe(true);
  });

  it("stays when it takes a little in each minute", async () => {
    const { stage, server, browser } = await stageOf();
    for (let round = 0; round < 8; round += 1) {
      // However much the browser took, there is more again that it does not take.
      await fill(server, browser);
      stage.clock.pass(GATEWAY_PING_MS);
      const count = browser.frames.length;
      browser.socket.resume();
      await expect.poll(() => browser.frames.length, { interval: 1 }).toBeGreaterThan(count);
    }
    expect(browser.socket.readyState).toBe(browser.socket.OPEN);
    expect(server.sockets[0]?.closed).toBe(false);
  });
});

/** Fills all that lies between the server and a browser that does not read. */
async function fill(server: LineServer, browser: Browser): Promise<void> {
  browser.socket.pause();
  const [socket] = server.sockets;
  const line = Buffer.from(`${"x".repeat(64 * 1024 - 1)}\n`);
  for (let idle = 0; idle < 20;) {
    if (socket!.writableLength < 4 * MEBIBYTE) {
      socket!.write(line);
      idle = 0;
    } else idle += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("heartbeat", () => {
  it("[GW-3] pings every 15 s, and ends a browser that misses two", async () => {
    const { stage, browser, server } = await stageOf();
    const deaf = await stage.browse("/ws/session", await stage.signIn()).opened();
    await expect.poll(() => server.sockets.length).toBe(2);
    deaf.socket.pause();
    for (let count = 0; count < 2; count += 1) {
      const ping = once(browser.socket, "ping");
      stage.clock.pass(GATEWAY_PING_MS);
      await ping;
      browser.socket.send("alive");
      await expect.poll(() => server.text.length).toBe((count + 1) * "alive ".length);
    }
    expect(server.sockets.map(({ closed }) => closed)).toEqual([false, false]);
    stage.clock.pass(GATEWAY_PING_MS);
    await expect.poll(() => server.sockets.map(({ closed }) => closed)).toEqual([false, true]);
    deaf.socket.resume();
    expect(await deaf.ended).toMatchObject({ code: 1006 });
  });

  it("ends with the gateway, which says good-bye with 1001", async () => {
    const { stage, browser } = await stageOf();
    await stage.gateway.close();
    expect(await browser.ended).toMatchObject({ code: 1001 });
    await stage.gateway.close();
    await expect.poll(() => stage.clock.waiting).toBe(0);
  });
});

const agentOf = (directory: string, id: string, state: string, lead = false) => ({
  id,
  description: id,
  state,
  lead,
  inbox: 0,
  pending: 0,
  cost_usd: 0,
  turns: 0,
  socket: join(directory, `${id}.sock`),
  observe_socket: join(directory, `${id}-observe.sock`),
});

/** The sockets of a team with a lead, another agent and a sleeping one, each of which says what it is. */
async function teamStage({ withObserver = true } = {}) {
  const directory = tempDir();
  const init = {
    type: "init",
    ...(withObserver && { observe_socket: join(directory, "observe.sock") }),
    agents: [
      agentOf(directory, "boss", "ready", true),
      agentOf(directory, "coder", "working"),
      agentOf(directory, "sleeper", "hibernated"),
      agentOf(directory, "ghost", "restarting"),
    ],
  };
  const names = ["team", "observe", "boss", "boss-observe", "coder", "coder-observe"];
  const servers = new Map<string, LineServer>();
  for (const name of names) {
    const server = new LineServer(join(directory, `${name}.sock`));
    const isTeam = name === "team" || name === "observe";
    server.onConnection = (socket) => {
      socket.write(`${JSON.stringify(isTeam ? { ...init, is: name } : { is: name })}\n`);
      if (isTeam) answerHello(socket);
    };
    servers.set(name, await server.start());
  }
  const target = { kind: "team", socket: join(directory, "team.sock") } as const;
  const stage = await GatewayStage.start({ target });
  return { stage, servers };
}

function answerHello(socket: Socket): void {
  socket.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().split("\n").filter(Boolean)) {
      const { id, method, params } = JSON.parse(line) as {
        id: string;
        method: string;
        params?: { client?: string };
      };
      const isTaken = params?.client === "coder";
      // As a team of an older version answers, which would let the page take another name.
      const result = params?.client === "loose" ? { client: "loose" } : params;
      const outcome = isTaken ? { error: { code: -32602, message: "taken" } } : { result };
      if (method === "hello")
        socket.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...outcome })}\n`);
    }
  });
}

/** What the server says of itself in its first line. */
async function saysOf(browser: Browser): Promise<unknown> {
  if (browser.frames.length === 0) await once(browser.socket, "message");
  return (JSON.parse(browser.texts[0] ?? "{}") as { is?: string }).is;
}

describe("the sockets of a team", () => {
  it("are for an owner the control socket, the lead's own, and those of the others for reading", async () => {
    const { stage } = await teamStage();
    const keys = await stage.signIn();
    const paths = ["/ws/team", "/ws/agents/boss", "/ws/agents/coder"];
    const said = await Promise.all(paths.map((path) => saysOf(stage.browse(path, keys))));
    expect(said).toEqual(["team", "boss", "coder-observe"]);
  });

  it("are for a viewer only those for reading, whatever the page says", async () => {
    const { stage, servers } = await teamStage();
    const keys = await stage.signIn(viewer);
    const paths = ["/ws/team", "/ws/agents/boss", "/ws/agents/coder"];
    const browsers = paths.map((path) => stage.browse(path, keys, { "x-role": "owner" }));
    expect(await Promise.all(browsers.map(saysOf))).toEqual([
      "observe",
      "boss-observe",
      "coder-observe",
    ]);
    browsers[0]?.socket.send('{"jsonrpc":"2.0","id":1,"method":"down","role":"owner"}');
    await expect.poll(() => servers.get("observe")?.text).toContain('"method":"down"');
    expect(servers.get("team")?.text).not.toContain("down");
    expect(await stage.browse("/ws/team?role=owner", keys).ended).toEqual({ status: 404 });
  });

  it("are closed to viewers with 4403 when there is none for reading", async () => {
    const { stage } = await teamStage({ withObserver: false });
    const keys = await stage.signIn(viewer);
    expect(await stage.browse("/ws/team", keys).ended).toMatchObject({ code: 4403 });
    const single = await GatewayStage.start();
    const watching = await single.signIn(viewer);
    expect(await single.browse("/ws/session", watching).ended).toMatchObject({ code: 4403 });
  });

  it("[GW-6] are closed with 4404 for no such agent, 4409 and its state for one asleep, 4503 for one on its way", async () => {
    const { stage, servers } = await teamStage();
    const keys = await stage.signIn();
    const endOf = (path: string) => stage.browse(path, keys).ended;
    expect(await endOf("/ws/agents/nobody")).toMatchObject({ code: 4404 });
    expect(await endOf("/ws/session")).toMatchObject({ code: 4404 });
    expect(await endOf("/ws/agents/sleeper")).toEqual({ code: 4409, reason: "hibernated" });
    expect(await endOf("/ws/agents/ghost")).toMatchObject({ code: 4503 });
    for (const path of ["/ws/agents/..%2fteam", "/ws/agents/a.b", "/ws/", "/ws/x"]) {
      expect(await endOf(path)).toEqual({ status: 404 });
    }
    await servers.get("team")?.stop();
    expect(await endOf("/ws/agents/boss")).toMatchObject({ code: 4503 });
    expect(await endOf("/ws/team")).toMatchObject({ code: 4503 });
  });

  it("[GW-4] hear first who the signed-in person is, and the page does not see the answer", async () => {
    const { stage, servers } = await teamStage();
    const browser = stage.browse("/ws/team", await stage.signIn());
    browser.socket.on("open", () =>
      browser.socket.send('{"jsonrpc":"2.0","id":7,"method":"hello","params":{"client":"eve"}}'),
    );
    await expect.poll(() => browser.frames.length).toBe(2);
    const [hello, own] = (servers.get("team")?.text ?? "").split("\n");
    expect(JSON.parse(hello ?? "")).toMatchObject({
      method: "hello",
      params: { client: "anna", fixed: true },
    });
    expect(own).toContain('"eve"');
    expect(browser.texts.map((text) => JSON.parse(text) as object)).toMatchObject([
      { type: "init" },
      { id: 7 },
    ]);
  });

  it("get nothing from the page before they have answered who the person is", async () => {
    const server = await new LineServer().start();
    const stage = await GatewayStage.start({ target: { kind: "team", socket: server.path } });
    const browser = await stage.browse("/ws/team", await stage.signIn()).opened();
    await expect.poll(() => server.text).toContain("hello");
    await new Promise((sent) => browser.socket.send("from the page", sent));
    // Time enough for the gateway to pass the frame on.
    for (let count = 0; count < 10; count += 1) await stage.ask("/healthz");
    expect(server.text).not.toContain("from the page");
    const { id } = JSON.parse(server.text) as { id: string };
    const answer = { jsonrpc: "2.0", id, result: { client: "anna", fixed: true } };
    server.sockets[0]?.write(`${JSON.stringify(answer)}\n`);
    await expect.poll(() => server.text).toContain("from the page\n");
    expect(browser.frames).toEqual([]);
  });

  test.each(["coder", "loose"])(
    "are closed when the team does not take the person's name %s for good",
    async (name) => {
      const { stage } = await teamStage();
      const keys = await stage.signIn({ ...owner, name });
      const browser = stage.browse("/ws/team", keys);
      expect(await browser.ended).toMatchObject({
        code: 4422,
        reason: expect.stringContaining(name),
      });
    },
  );
});
