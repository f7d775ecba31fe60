import { once } from "node:events";
import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Browser } from "../../test/support/gateway-stage.ts";
import {
  GatewayStage,
  keysOf,
  LineServer,
  owner,
  tokenOf,
  viewer,
} from "../../test/support/gateway-stage.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { GATEWAY_PING_MS } from "../wire/gateway.ts";
import { fingerprint } from "./sign-in/make-and-compare-secrets.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe("signing in", () => {
  it("[GW-8] gives the two halves of a sign-in for a link, once", async () => {
    const stage = await GatewayStage.start();
    const link = stage.gateway.makeLink(owner);
    expect(link).toMatch(new RegExp(`^${stage.origin}/#enter=[\\w-]{43}$`));
    const entered = await stage.enter(tokenOf(link));
    expect(entered.status).toBe(200);
    expect(entered.headers["set-cookie"]?.[0]).toMatch(
      /^sb-[0-9a-f]{8}=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+$/,
    );
    expect(JSON.parse(entered.body)).toMatchObject({
      key: expect.stringMatching(/^[\w-]{43}$/),
      name: "anna",
      role: "owner",
      serves: "session",
    });
    const again = await stage.enter(tokenOf(link));
    expect(again.status).toBe(401);
    expect(again.headers["set-cookie"]).toBeUndefined();
  });

  it("[GW-9] gives the same 401 for no half, either half, and halves of two sign-ins", async () => {
    const stage = await GatewayStage.start();
    const [one, other] = [await stage.signIn(), await stage.signIn()];
    const wrong = [
      {},
      { cookie: one.cookie },
      { key: one.key },
      { cookie: one.cookie, key: other.key },
      { cookie: one.cookie, key: one.cookie.split("=")[1] ?? "" },
      { cookie: `sb-00000000=${one.cookie.split("=")[1]}`, key: one.key },
    ];
    const refused = await Promise.all(wrong.map((keys) => stage.askAs(keys, "/auth/me")));
    expect(refused.map(({ status }) => status)).toEqual(wrong.map(() => 401));
    const seen = refused.map(({ headers, body }) => ({ ...headers, date: "", body }));
    for (const each of seen) expect(each).toEqual(seen[0]);
    expect((await stage.askAs(one, "/auth/me")).status).toBe(200);
    const sockets = wrong.slice(0, 4).map((keys) => stage.browse("/ws/session", keys).ended);
    expect(await Promise.all(sockets)).toEqual(sockets.map(() => ({ status: 401 })));
  });

  it("takes no other token for that of an open link, and leaves the link as it is", async () => {
    const stage = await GatewayStage.start();
    const token = tokenOf(stage.gateway.makeLink(owner));
    for (const wrong of [`${token}x`, token.slice(1), token.toUpperCase(), fingerprint(token)]) {
      expect((await stage.enter(wrong)).status).toBe(401);
    }
    expect((await stage.enter(token)).status).toBe(200);
  });

  it("finds its own cookie among those that a server on another port has planted", async () => {
    const stage = await GatewayStage.start();
    const { cookie, key } = await stage.signIn();
    const [name] = cookie.split("=");
    const planted = `${name}=planted; other=1; ${cookie}`;
    expect((await stage.askAs({ cookie: planted, key }, "/auth/me")).status).toBe(200);
    expect((await stage.askAs({ cookie: `${name}=planted`, key }, "/auth/me")).status).toBe(401);
  });

  it("[GW-7] refuses a link after ten minutes, and a sign-in thirty days after its last use", async () => {
    const stage = await GatewayStage.start();
    // Between two sweeps of what has ended.
    stage.clock.pass(MINUTE_MS / 2);
    const late = stage.gateway.makeLink(owner);
    const keys = await stage.signIn();
    stage.clock.pass(10 * MINUTE_MS);
    expect((await stage.enter(tokenOf(late))).status).toBe(401);
    stage.clock.pass(29 * DAY_MS);
    expect((await stage.askAs(keys, "/auth/me")).status).toBe(200);
    stage.clock.pass(29 * DAY_MS);
    expect((await stage.askAs(keys, "/auth/me")).status).toBe(200);
    stage.clock.pass(30 * DAY_MS);
    expect((await stage.askAs(keys, "/auth/me")).status).toBe(401);
  });

  it("[GW-10] ends a viewer's sign-in at the time of its link, however much it is used", async () => {
    const stage = await GatewayStage.start();
    stage.clock.pass(MINUTE_MS / 2);
    const keys = await stage.signIn(viewer);
    stage.clock.pass(59 * MINUTE_MS);
    expect((await stage.askAs(keys, "/auth/me")).status).toBe(200);
    stage.clock.pass(MINUTE_MS);
    expect((await stage.askAs(keys, "/auth/me")).status).toBe(401);
  });

  it("[GW-11] keeps sign-ins over a restart, on the same port, in a file of fingerprints that only its owner reads", async () => {
    const first = await GatewayStage.start();
    const { clock, stateDir } = first;
    const keys = await first.signIn();
    const open = first.gateway.makeLink(owner);
    await first.gateway.close();
    const second = await GatewayStage.start({ clock, stateDir });
    expect(second.gateway.port).toBe(first.gateway.port);
    expect((await second.askAs(keys, "/auth/me")).status).toBe(200);
    expect((await second.enter(tokenOf(open))).status).toBe(200);
    const file = join(stateDir, "sign-ins.json");
    expect([statSync(file).mode & 0o777, statSync(stateDir).mode & 0o777]).toEqual([0o600, 0o700]);
    const text = readFileSync(file, "utf8");
    const value = keys.cookie.split("=")[1] ?? "";
    expect(text).toContain(fingerprint(value));
    for (const secret of [value, keys.key, tokenOf(open)]) expect(text).not.toContain(secret);
  });

  it("lets nobody in by a damaged file, and starts all the same", async () => {
    const first = await GatewayStage.start();
    const { clock, stateDir } = first;
    const keys = await first.signIn();
    await first.gateway.close();
    writeFileSync(join(stateDir, "sign-ins.json"), '{"instance":"12345678","passes":[{}]}');
    const second = await GatewayStage.start({ clock, stateDir });
    expect((await second.askAs(keys, "/auth/me")).status).toBe(401);
    expect((await second.askAs(await second.signIn(), "/auth/me")).status).toBe(200);
  });

  it("[GW-16] is not opened twice with the sign-ins of one state directory", async () => {
    const first = await GatewayStage.start();
    const { clock, stateDir } = first;
    const keys = await first.signIn();
    await expect(GatewayStage.start({ clock, stateDir })).rejects.toMatchObject({
      code: "socket_in_use",
      message: expect.stringContaining(stateDir),
      hint: expect.stringContaining("link"),
    });
    expect((await first.askAs(keys, "/auth/me")).status).toBe(200);
  });

  it("[GW-16] opens again after a gateway that was killed", async () => {
    const stateDir = tempDir();
    const server = createServer().listen(join(stateDir, "alive.sock"));
    await once(server, "listening");
    // The second name stays when the server ends, as that of a killed process does.
    linkSync(join(stateDir, "alive.sock"), join(stateDir, "gateway.sock"));
    server.close();
    await once(server, "close");
    expect(statSync(join(stateDir, "gateway.sock")).isSocket()).toBe(true);
    const stage = await GatewayStage.start({ stateDir });
    expect((await stage.askAs(await stage.signIn(), "/auth/me")).status).toBe(200);
  });

  it("[GW-11] stays open to those who are in when the sign-ins cannot be written, and ends what has ended", async () => {
    const { path } = await new LineServer().start();
    const target = { kind: "session", socket: path, observeSocket: path } as const;
    const stage = await GatewayStage.start({ target });
    const keys = await stage.signIn();
    const watching = await stage.browse("/ws/session", await stage.signIn(viewer)).opened();
    const link = stage.gateway.makeLink(owner);
    rmSync(stage.stateDir, { recursive: true });
    stage.clock.pass(viewer.forMs + MINUTE_MS);
    expect(await watching.ended).toMatchObject({ code: 4401 });
    expect((await stage.askAs(keys, "/auth/me")).status).toBe(200);
    const { links } = JSON.parse((await stage.askAs(keys, "/auth/links")).body) as {
      links: object[];
    };
    expect(links).toMatchObject([{ role: "owner", state: "used", yours: true }]);
    await stage.browse("/ws/session", keys).opened();
    expect((await stage.enter(tokenOf(link))).status).toBe(401);
    expect(() => stage.gateway.makeLink(owner)).toThrow("ENOENT");
  });

  it("does not start, and listens nowhere, when the sign-ins cannot be written", async () => {
    const before = await GatewayStage.start();
    const { port } = before.gateway;
    await before.gateway.close();
    const stateDir = tempDir();
    mkdirSync(join(stateDir, "sign-ins.json"));
    await expect(GatewayStage.start({ stateDir, port })).rejects.toMatchObject({ code: "EISDIR" });
    rmSync(join(stateDir, "sign-ins.json"), { recursive: true });
    const after = await GatewayStage.start({ stateDir, port });
    expect((await after.ask("/healthz")).status).toBe(204);
  });

  it("[GW-13] answers 429 after ten wrong keys from an address, but lets the right ones through", async () => {
    const stage = await GatewayStage.start();
    const keys = await stage.signIn();
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      statuses.push((await stage.askAs({ ...keys, key: `${count}` }, "/auth/me")).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
    const entering = await stage.enter("wrong");
    expect([entering.status, entering.headers["retry-after"]]).toEqual([429, "60"]);
    expect(await stage.browse("/ws/session", {}).ended).toEqual({ status: 429 });
    expect((await stage.askAs(keys, "/auth/me")).status).toBe(200);
    stage.clock.pass(MINUTE_MS);
    expect((await stage.askAs({}, "/auth/me")).status).toBe(401);
  });
});

/** Lets the time of one ping pass, and waits until the browsers have answered it. */
async function passPing({ clock }: GatewayStage, browsers: Browser[]): Promise<void> {
  const pings = browsers.map(({ socket }) =>
    Promise.race([once(socket, "ping"), once(socket, "close")]),
  );
  clock.pass(GATEWAY_PING_MS);
  await Promise.all(pings);
}

const post = (body: object) => ({ method: "POST", body: JSON.stringify(body) });

describe("links", () => {
  it("are made, listed and revoked by an owner, and the sockets of a revoked one close with 4401", async () => {
    const server = await new LineServer().start();
    const { path } = server;
    const target = { kind: "session", socket: path, observeSocket: path } as const;
    const stage = await GatewayStage.start({ target });
    const keys = await stage.signIn();
    const made = await stage.askAs(
      keys,
      "/auth/links",
      post({ role: "viewer", for_ms: 3_600_000 }),
    );
    expect(made.status).toBe(201);
    const { url, link } = JSON.parse(made.body) as { url: string; link: { id: string } };
    expect(link).toMatchObject({ role: "viewer", state: "open", name: "viewer of anna" });
    const others = keysOf(await stage.enter(tokenOf(url)));
    const watching = await stage.browse("/ws/session", others).opened();
    const own = await stage.browse("/ws/session", keys).opened();
    const list = async () =>
      (JSON.parse((await stage.askAs(keys, "/auth/links")).body) as { links: object[] }).links;
    expect(await list()).toMatchObject([
      { role: "owner", state: "used", yours: true },
      { id: link.id, role: "viewer", state: "used" },
    ]);
    const revoked = await stage.askAs(keys, `/auth/links/${link.id}`, { method: "DELETE" });
    expect(revoked.status).toBe(204);
    expect(await watching.ended).toEqual({ code: 4401, reason: "The sign-in has ended." });
    expect((await stage.askAs(others, "/auth/me")).status).toBe(401);
    expect(await list()).toHaveLength(1);
    const twice = await stage.askAs(keys, `/auth/links/${link.id}`, { method: "DELETE" });
    expect(twice.status).toBe(404);
    expect(own.socket.readyState).toBe(own.socket.OPEN);
  });

  it("[GW-10] end after a day when nobody says for how long a viewer may look", async () => {
    const stage = await GatewayStage.start();
    const keys = await stage.signIn();
    const made = await stage.askAs(keys, "/auth/links", post({ role: "viewer" }));
    const { url } = JSON.parse(made.body) as { url: string };
    const watching = keysOf(await stage.enter(tokenOf(url)));
    stage.clock.pass(DAY_MS - MINUTE_MS);
    expect((await stage.askAs(watching, "/auth/me")).status).toBe(200);
    stage.clock.pass(2 * MINUTE_MS);
    expect((await stage.askAs(watching, "/auth/me")).status).toBe(401);
  });

  it("pass nothing on that a revoked page sends before it has heard of it", async () => {
    const server = await new LineServer().start();
    const target = { kind: "session", socket: server.path } as const;
    const stage = await GatewayStage.start({ target });
    const [keys, others] = [await stage.signIn(), await stage.signIn({ ...owner, name: "eve" })];
    const page = await stage.browse("/ws/session", others).opened();
    page.socket.send("early");
    await expect.poll(() => server.text).toBe("early\n");
    // It reads nothing, and so does not know that it was closed.
    page.socket.pause();
    const { links } = JSON.parse((await stage.askAs(keys, "/auth/links")).body) as {
      links: { id: string; name: string }[];
    };
    const { id = "" } = links.find(({ name }) => name === "eve") ?? {};
    await stage.askAs(keys, `/auth/links/${id}`, { method: "DELETE" });
    page.socket.send("late");
    page.socket.resume();
    expect(await page.ended).toMatchObject({ code: 4401 });
    await expect.poll(() => server.sockets[0]?.readableEnded).toBe(true);
    expect(server.text).toBe("early\n");
  });

  it("end their sockets with 4401 when they expire or are left", async () => {
    const server = await new LineServer().start();
    const { path } = server;
    const target = { kind: "session", socket: path, observeSocket: path } as const;
    const stage = await GatewayStage.start({ target });
    const [owning, viewing] = [
      await stage.signIn(),
      await stage.signIn({ ...viewer, forMs: 50_000 }),
    ];
    const watching = await stage.browse("/ws/session", viewing).opened();
    const own = await stage.browse("/ws/session", owning).opened();
    await expect.poll(() => server.sockets.length).toBe(2);
    for (let count = 1; count <= 4; count += 1) {
      await passPing(stage, [watching, own]);
      // What comes behind the pong was passed on, so the pong has been heard.
      for (const browser of count < 4 ? [watching, own] : []) browser.socket.send("alive");
      await expect.poll(() => server.text.length).toBe(Math.min(count, 3) * 2 * "alive ".length);
    }
    expect(await watching.ended).toMatchObject({ code: 4401 });
    const left = await stage.askAs(owning, "/auth/leave", { method: "POST" });
    expect([left.status, left.headers["set-cookie"]?.[0]]).toEqual([
      204,
      expect.stringContaining("Max-Age=0"),
    ]);
    expect(await own.ended).toMatchObject({ code: 4401 });
    expect((await stage.askAs(owning, "/auth/me")).status).toBe(401);
  });

  it("[GW-10] are not for viewers, nor are figures", async () => {
    const stage = await GatewayStage.start();
    const keys = await stage.signIn(viewer);
    const forged = { role: "owner", name: "anna" };
    const answers = await Promise.all([
      stage.askAs(keys, "/auth/links"),
      stage.askAs(keys, "/auth/links", post(forged)),
      stage.askAs(keys, "/auth/links/0123456789abcdef", { method: "DELETE" }),
      stage.askAs(keys, "/metrics"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect(JSON.parse(answers[1]?.body ?? "")).toMatchObject({ code: "read_only" });
    const me = await stage.askAs(keys, "/auth/me?role=owner", { headers: { "x-role": "owner" } });
    expect(JSON.parse(me.body)).toMatchObject({ role: "viewer", name: "bob" });
  });

  it("cannot have the name of the team or the policy, nor last longer than a month", async () => {
    const stage = await GatewayStage.start();
    const keys = await stage.signIn();
    const wrong = [
      { name: "policy" },
      { name: "switchboard" },
      { for_ms: 31 * DAY_MS },
      { role: "god" },
    ];
    const answers = await Promise.all(
      wrong.map((body) => stage.askAs(keys, "/auth/links", post(body))),
    );
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    const broken = await stage.askAs(keys, "/auth/links", { method: "POST", body: "{" });
    expect(broken.status).toBe(400);
  });
});
