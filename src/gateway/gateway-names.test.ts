import { describe, expect, it, test } from "vitest";
import {
  ask,
  exchange,
  GatewayStage,
  LineServer,
  owner,
  pageDir,
  tokenOf,
} from "../../test/support/gateway-stage.ts";
import { KEY_HEADER } from "../wire/gateway.ts";

const handshake = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
};

describe("names and origins", () => {
  test.each([
    ["evil.test:P", undefined],
    ["evil.test:P", "http://evil.test:P"],
    ["127.evil.com:P", undefined],
    ["127.0.0.1.evil.com:P", undefined],
    ["localhost.evil.com:P", undefined],
    ["LOCALHOST.:P", undefined],
    ["localhost.:P", undefined],
    ["127.0.0.1", undefined],
    ["127.0.0.1:1", undefined],
    ["0.0.0.0:P", undefined],
    ["127.1:P", undefined],
    ["127.0.0.1:P@evil.test", undefined],
  ])(
    "[GW-12] a request to %s from %s gets 403 everywhere, with the right keys too",
    async (host, from) => {
      const stage = await GatewayStage.start({ page: pageDir() });
      const keys = await stage.signIn();
      const headers: Record<string, string> = {
        ...stage.headersOf(keys),
        host: host.replace("P", `${stage.gateway.port}`),
      };
      delete headers["origin"];
      if (from !== undefined) headers["origin"] = from.replace("P", `${stage.gateway.port}`);
      const paths = [
        "/",
        "/assets/app-12345678.js",
        "/healthz",
        "/auth/me",
        "/metrics",
        "/nothing",
      ];
      const answers = await Promise.all(
        paths.map((path) => ask(stage.gateway.port, path, { headers })),
      );
      expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 403));
      expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ code: "origin_refused" });
      expect(
        await stage.browse("/ws/session", keys, { host: headers["host"] ?? "" }).ended,
      ).toEqual({
        status: 403,
      });
    },
  );

  test.each([
    ["none", undefined],
    ["null", "null"],
    ["another port of this address", "http://127.0.0.1:1"],
    ["another name of this machine", "http://localhost:P"],
    ["the same without a port", "http://127.0.0.1"],
    ["the same with TLS", "https://127.0.0.1:P"],
    ["one that begins with ours", "http://127.0.0.1:P.evil.test"],
  ])(
    "[GW-12] a handshake and a post with the right keys and the origin %s get 403",
    async (_what, from) => {
      const stage = await GatewayStage.start();
      const keys = await stage.signIn();
      const headers = stage.headersOf(keys);
      delete headers["origin"];
      const origin = from?.replace("P", `${stage.gateway.port}`);
      if (origin !== undefined) headers["origin"] = origin;
      const posted = await stage.ask("/auth/leave", { method: "POST", headers });
      expect(posted.status).toBe(403);
      expect(posted.headers).not.toHaveProperty("access-control-allow-origin");
      const upgrade = {
        ...headers,
        ...handshake,
        "sec-websocket-protocol": `switchboard.1, sb.${keys.key}`,
      };
      expect((await stage.ask("/ws/session", { headers: upgrade })).status).toBe(403);
      expect((await stage.askAs(keys, "/auth/me")).status).toBe(200);
    },
  );

  it("refuses a request without Host, with two Hosts or two origins, or with a whole address as its path", async () => {
    const stage = await GatewayStage.start({ page: pageDir() });
    const { host, origin } = stage;
    const end = "Connection: close\r\n\r\n";
    const heads = [
      `GET / HTTP/1.0\r\n${end}`,
      `GET / HTTP/1.1\r\nHost:\r\n${end}`,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil.test\r\n${end}`,
      `GET / HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nOrigin: http://evil.test\r\n${end}`,
      `GET http://evil.test/ HTTP/1.1\r\nHost: ${host}\r\n${end}`,
      `GET //evil.test/ HTTP/1.1\r\nHost: ${host}\r\n${end}`,
    ];
    const answers = await Promise.all(heads.map((head) => exchange(stage.gateway.port, head)));
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 (400|403) /);
    const right = `GET / HTTP/1.1\r\nHost: ${host}\r\n${end}`;
    expect(await exchange(stage.gateway.port, right)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("[GW-12] refuses what a page of another site or port asks for, but lets a person follow a link to the page", async () => {
    const stage = await GatewayStage.start({ page: pageDir() });
    const { cookie } = await stage.signIn();
    const from = (site: string, mode: string, dest: string) => ({
      headers: { cookie, "sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest },
    });
    const statusOf = async (path: string, options: ReturnType<typeof from>) =>
      (await stage.ask(path, options)).status;
    for (const site of ["cross-site", "same-site"]) {
      expect(await statusOf("/", from(site, "no-cors", "image"))).toBe(403);
      expect(await statusOf("/", from(site, "navigate", "iframe"))).toBe(403);
      expect(await statusOf("/auth/me", from(site, "navigate", "document"))).toBe(403);
      expect(await statusOf("/board", from(site, "navigate", "document"))).toBe(200);
    }
    expect(await statusOf("/auth/me", from("same-origin", "cors", "empty"))).toBe(401);
    expect(await statusOf("/", from("none", "navigate", "document"))).toBe(200);
  });

  it("answers under localhost and ::1 of its port, with an origin of the same name", async () => {
    const stage = await GatewayStage.start();
    const { port } = stage.gateway;
    for (const name of [`localhost:${port}`, `[::1]:${port}`]) {
      const headers = { host: name, origin: `http://${name}` };
      const body = JSON.stringify({ token: tokenOf(stage.gateway.makeLink(owner)) });
      expect((await ask(port, "/auth/enter", { method: "POST", headers, body })).status).toBe(200);
    }
  });
});

describe("bounds", () => {
  it("[GW-15] give a slow request its time and no more, and an empty connection too", async () => {
    const stage = await GatewayStage.start({ requestMs: 300 });
    const { port } = stage.gateway;
    const slow = [
      "",
      `GET / HTTP/1.1\r\nHost: ${stage.host}\r\nX-Slow: `,
      `POST /auth/enter HTTP/1.1\r\nHost: ${stage.host}\r\nOrigin: ${stage.origin}\r\nContent-Length: 100\r\n\r\n{`,
    ];
    const answers = await Promise.all(slow.map((text) => exchange(port, text)));
    expect(answers[1]).toMatch(/^HTTP\/1\.1 408 /);
    expect(answers[1]).toMatch(/Content-Security-Policy: default-src 'none'/);
    expect(answers[2]).toMatch(/^HTTP\/1\.1 (408|400) /);
    expect((await stage.ask("/healthz")).status).toBe(204);
  });

  it("[GW-15] refuse long headers with 431 and long bodies with 413", async () => {
    const stage = await GatewayStage.start();
    const long = await exchange(
      stage.gateway.port,
      `GET / HTTP/1.1\r\nHost: ${stage.host}\r\nX-Long: ${"x".repeat(9_000)}\r\n\r\n`,
    );
    expect(long).toMatch(/^HTTP\/1\.1 431 /);
    const { status } = await stage.enter("x".repeat(2_000));
    expect(status).toBe(413);
  });

  it("[GW-5] allow eight sockets of one sign-in, and sixty-four in all", async () => {
    const server = await new LineServer().start();
    const stage = await GatewayStage.start({ target: { kind: "session", socket: server.path } });
    const people = await Promise.all(Array.from({ length: 9 }, () => stage.signIn()));
    const [first] = people;
    for (const keys of people.slice(0, 8)) {
      for (let count = 0; count < 8; count += 1) await stage.browse("/ws/session", keys).opened();
      const ninth = stage.browse("/ws/session", keys);
      expect(await ninth.ended).toMatchObject({ code: 1013 });
    }
    expect(await stage.browse("/ws/session", people[8]!).ended).toMatchObject({ code: 1013 });
    const metrics = await stage.askAs(first!, "/metrics");
    expect(metrics.body).toContain('switchboard_gateway_sockets_open{role="owner"} 64');
    expect(metrics.body).toContain('switchboard_gateway_closes_total{code="1013"} 9');
  });
});

test("every response has all headers, also a refusal, and none lets another origin read", async () => {
  const stage = await GatewayStage.start({ page: pageDir() });
  const keys = await stage.signIn();
  const answers = await Promise.all([
    stage.ask("/"),
    stage.ask("/healthz"),
    stage.ask("/nothing.js"),
    stage.ask("/auth/me"),
    stage.askAs(keys, "/auth/me"),
    stage.askAs(keys, "/metrics"),
    stage.ask("/", { headers: { host: "evil.test" } }),
    stage.ask("/auth/me", { method: "OPTIONS", headers: { origin: stage.origin } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 204, 401, 401, 200, 200, 403, 401]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types sb-worker$/,
      ),
      "referrer-policy": "no-referrer",
      "x-dns-prefetch-control": "off",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
      "cache-control": "no-store",
    });
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  }
  expect(KEY_HEADER).toBe("x-switchboard-key");
});
