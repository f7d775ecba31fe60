import { once } from "node:events";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FakeSession } from "../../test/support/fake-session.ts";
import type { Keys } from "../../test/support/gateway-stage.ts";
import { GatewayStage, viewer } from "../../test/support/gateway-stage.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { rangeOf } from "./http/byte-range.ts";

function page(): string {
  const directory = tempDir();
  mkdirSync(join(directory, "assets"));
  const write = (path: string, text: string) => writeFileSync(join(directory, path), text);
  write("index.html", "<!doctype html><title>page</title>");
  write("index.html.gz", "gz of index");
  write("assets/app-B4kQ9xZ_.js", "plain");
  write("assets/app-B4kQ9xZ_.js.br", "br of app");
  write("assets/app-B4kQ9xZ_.js.gz", "gz of app");
  write("favicon.svg", "<svg/>");
  writeFileSync(join(directory, "..", "secret.txt"), "secret");
  symlinkSync(join(directory, "..", "secret.txt"), join(directory, "link.txt"));
  return directory;
}

describe("static files", () => {
  it("come in the best form that the browser takes, and hashed names for ever", async () => {
    const stage = await GatewayStage.start({ page: page() });
    const get = async (path: string, accepted?: string) => {
      const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
      const { status, headers: got, body } = await stage.ask(path, { headers });
      return [status, body, got["content-encoding"], got["cache-control"], got["content-type"]];
    };
    const forEver = "public, max-age=31536000, immutable";
    const js = "text/javascript; charset=utf-8";
    const app = "/assets/app-B4kQ9xZ_.js";
    expect(await get(app, "gzip, deflate, br, zstd")).toEqual([
      200,
      "br of app",
      "br",
      forEver,
      js,
    ]);
    expect(await get(app, "gzip")).toEqual([200, "gz of app", "gzip", forEver, js]);
    expect(await get(app, "br;q=0, gzip;q=1.0")).toEqual([200, "gz of app", "gzip", forEver, js]);
    expect(await get(app)).toEqual([200, "plain", undefined, forEver, js]);
    const html = "text/html; charset=utf-8";
    for (const path of ["/", "/index.html", "/board", "/a/coder?at=3"]) {
      expect(await get(path, "gzip")).toEqual([200, "gz of index", "gzip", "no-store", html]);
    }
    expect((await get("/favicon.svg")).slice(3)).toEqual([
      "no-store",
      "image/svg+xml; charset=utf-8",
    ]);
    const head = await stage.ask(app, { method: "HEAD" });
    expect([head.status, head.body]).toEqual([200, ""]);
  });

  it("are only those that were there at the start, by whatever path one asks", async () => {
    const stage = await GatewayStage.start({ page: page() });
    const keys = await stage.signIn();
    const paths = [
      "/../secret.txt",
      "/..%2fsecret.txt",
      "/%2e%2e/secret.txt",
      "/assets/..%5c..%5csecret.txt",
      "/assets/../../secret.txt",
      "/link.txt",
      "/index.html.gz",
      "/assets/app-B4kQ9xZ_.js.br",
      "/etc/passwd.txt",
      "/__proto__.js",
    ];
    const answers = await Promise.all(paths.map((path) => stage.askAs(keys, path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
  });

  it("must have a page among them", async () => {
    await expect(GatewayStage.start({ page: tempDir() })).rejects.toMatchObject({
      code: "invalid_params",
    });
    await expect(GatewayStage.start({ page: "/nonexistent" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    const without = await GatewayStage.start();
    expect((await without.askAs(await without.signIn(), "/")).status).toBe(404);
  });
});

describe("rangeOf", () => {
  it.each([
    [undefined, undefined],
    ["bytes=0-0", { first: 0, last: 0 }],
    ["bytes=5-", { first: 5, last: 9 }],
    ["bytes=5-99", { first: 5, last: 9 }],
    ["bytes=-3", { first: 7, last: 9 }],
    ["bytes=-99", { first: 0, last: 9 }],
    ["bytes=10-", null],
    ["bytes=-0", null],
    ["bytes=3-2", null],
    ["bytes=-", undefined],
    ["bytes=0-1,3-4", undefined],
    ["lines=0-1", undefined],
  ])("reads %s of ten bytes", (header, expected) => {
    expect(rangeOf(header, 10)).toEqual(expected);
  });
});

const content = Buffer.from(Array.from({ length: 5_000 }, (_, at) => at % 251));

async function sessionStage(): Promise<{ stage: GatewayStage; keys: Keys; session: FakeSession }> {
  const session = await new FakeSession().start();
  session.onCommand = (command, client) => {
    if (command.type === "history") {
      const before = command.before ?? session.lastSeq + 1;
      const events = session.log.filter(({ seq }) => seq < before).slice(-(command.limit ?? 200));
      return client.answer(command, "history", { events, more: false });
    }
    if (command.type !== "get_blob") return;
    if (command.blob !== "b1") {
      const error = { code: "blob_not_found", message: "no", hint: "no", retryable: false };
      return client.answer(command, "error", error);
    }
    const { blob, offset, limit = 1_000 } = command;
    // Less than was asked for, as a session may answer.
    const data = content.subarray(offset, offset + Math.min(limit, 1_000)).toString("base64");
    client.answer(command, "blob", { blob, bytes: content.length, offset, data });
  };
  const stage = await GatewayStage.start({ target: { kind: "session", socket: session.path } });
  return { stage, keys: await stage.signIn(), session };
}

describe("blobs", () => {
  it("come whole, or in the range that was asked for", async () => {
    const { stage, keys } = await sessionStage();
    const get = (range?: string) =>
      stage.askAs(keys, "/api/blob/session/b1", { headers: range === undefined ? {} : { range } });
    const whole = await get();
    expect([whole.status, whole.headers["content-length"]]).toEqual([200, "5000"]);
    expect(whole.headers).toMatchObject({
      "content-type": "application/octet-stream",
      "content-disposition": "attachment",
    });
    expect(Buffer.from(whole.body, "latin1").equals(content)).toBe(true);
    const part = await get("bytes=100-2199");
    expect([part.status, part.headers["content-range"]]).toEqual([206, "bytes 100-2199/5000"]);
    expect(Buffer.from(part.body, "latin1").equals(content.subarray(100, 2_200))).toBe(true);
    const outside = await get("bytes=5000-");
    expect([outside.status, outside.headers["content-range"]]).toEqual([416, "bytes */5000"]);
  });

  it("are 404 for an unknown blob or agent, and 503 without the session, and leave no connection", async () => {
    const { stage, keys, session } = await sessionStage();
    const get = async (path: string) => (await stage.askAs(keys, path)).status;
    expect(await get("/api/blob/session/b2")).toBe(404);
    expect(await get("/api/blob/other/b1")).toBe(404);
    expect(await get("/api/blob/..%2f..%2fetc/b1")).toBe(404);
    await expect.poll(() => session.clients.size).toBe(0);
    await session.stop();
    expect(await get("/api/blob/session/b1")).toBe(503);
    const watching = await stage.signIn(viewer);
    expect((await stage.askAs(watching, "/api/blob/session/b1")).status).toBe(403);
  });
});

const parse = (text: string): unknown => JSON.parse(Buffer.from(text, "latin1").toString());

describe("exports", () => {
  it.each([0, 1, 200, 401])("have all %i events of a session once and in order", async (count) => {
    const { stage, keys, session } = await sessionStage();
    for (let at = 1; at <= count; at += 1) {
      session.happen({ type: "text_delta", turn_id: "t", block: at, text: `${at}\u2028` });
    }
    const lines = await stage.askAs(keys, "/api/export/session/session.jsonl");
    expect(lines.headers).toMatchObject({
      "content-type": "application/jsonl",
      "content-disposition": 'attachment; filename="session.jsonl"',
    });
    expect(lines.body.split("\n").filter(Boolean).map(parse)).toEqual(session.log);
    const whole = await stage.askAs(keys, "/api/export/session/session.json");
    expect(parse(whole.body)).toEqual(session.log);
    await expect.poll(() => session.clients.size).toBe(0);
  });

  it("are cut off, not ended, when the session goes in the middle", async () => {
    const { stage, keys, session } = await sessionStage();
    const answer = session.onCommand;
    session.happen({ type: "text_delta", turn_id: "t", block: 0, text: "x" });
    session.onCommand = (command, client) =>
      command.type === "history" ? client.drop() : answer(command, client);
    const reading = stage.askAs(keys, "/api/export/session/session.jsonl");
    await expect(reading).rejects.toThrow(/aborted|hang up/);
  });
});

const EXPORT = "/api/export/session/session.jsonl";
const BLOB = "/api/blob/session/b1";

/** Sends a request, and reads nothing of the answer. */
async function getUnread(stage: GatewayStage, keys: Keys, path: string): Promise<Socket> {
  const socket = createConnection({ port: stage.gateway.port, host: "127.0.0.1" }).pause();
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  const headers = Object.entries({ host: stage.host, ...stage.headersOf(keys) });
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(`GET ${path} HTTP/1.1\r\n${head}\r\n`);
  return socket;
}

/** A session with a blob that is larger than all buffers on the way. */
async function largeStage(idleMs?: number) {
  const session = await new FakeSession().start();
  const part = Buffer.alloc(4 * 1024 * 1024).toString("base64");
  session.onCommand = (command, client) => {
    if (command.type !== "get_blob") return;
    const { blob, offset, limit } = command;
    const data = limit === 1 ? "AA==" : part;
    client.answer(command, "blob", { blob, bytes: 256 * 1024 * 1024, offset, data });
  };
  const stage = await GatewayStage.start({
    target: { kind: "session", socket: session.path, observeSocket: session.path },
    idleMs,
  });
  return { stage, session };
}

describe("connections to the session", () => {
  it.each([EXPORT, BLOB])("end after a HEAD of %s", async (path) => {
    const { stage, keys, session } = await sessionStage();
    session.happen({ type: "text_delta", turn_id: "t", block: 0, text: "x" });
    expect(await stage.askAs(keys, path, { method: "HEAD" })).toMatchObject({
      status: 200,
      body: "",
    });
    await expect.poll(() => session.clients.size).toBe(0);
  });

  it("[GW-15] end with an answer that nobody reads", async () => {
    const { stage, session } = await largeStage(300);
    const keys = await stage.signIn();
    const browser = await getUnread(stage, keys, BLOB);
    await expect.poll(() => session.clients.size).toBe(1);
    await expect.poll(() => session.clients.size).toBe(0);
    browser.resume();
    await once(browser, "close");
  });

  it("end with the sign-in of the person who reads", async () => {
    const { stage, session } = await largeStage();
    const keys = await stage.signIn(viewer);
    const browser = await getUnread(stage, keys, BLOB);
    await expect.poll(() => session.clients.size).toBe(1);
    expect((await stage.askAs(keys, "/auth/leave", { method: "POST" })).status).toBe(204);
    await expect.poll(() => session.clients.size).toBe(0);
    browser.resume();
    await once(browser, "close");
  });
});
