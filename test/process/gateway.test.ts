import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { request as tlsRequest } from "node:https";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { SessionClient } from "../../src/client/session-client.ts";
import { webConnect } from "../../src/client/web-transport.ts";
import { newHome } from "../support/agent-socket-process.ts";
import type { Home } from "../support/agent-socket-process.ts";
import type { Keys } from "../support/gateway-stage.ts";
import { ask, keysOf, tokenOf } from "../support/gateway-stage.ts";
import { loggedSession } from "../support/logged-session.ts";
import { serveLogged } from "../support/serve-logged-session.ts";
import { asStranger } from "./fixtures/stranger.ts";
import { start as startFixture } from "./fixtures/net-start.ts";

const bin = resolve(import.meta.dirname, "../../bin/switchboard.js");
const tls = (name: string): string => resolve(import.meta.dirname, `../fixtures/tls/${name}.pem`);

interface Gateway {
  readonly child: ChildProcess;
  readonly origin: string;
  readonly url: string;
  readonly port: number;
  readonly stderr: () => string;
}

function run({ env, cwd }: Home, args: string[]) {
  const child = spawn(process.execPath, [bin, "web", ...args], {
    cwd,
    env: { ...env, SWITCHBOARD_LOG: "trace", SWITCHBOARD_USER: "anna" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  return { child, said };
}

async function startGateway(home: Home, args: string[]): Promise<Gateway> {
  const { child, said } = run(home, [...args, "--json"]);
  await expect
    .poll(() => said.stdout + (child.exitCode ?? ""), { message: said.stderr })
    .toMatch(/\n|\d/);
  const { origin, url } = JSON.parse(said.stdout) as { origin: string; url: string };
  return { child, origin, url, port: Number(new URL(origin).port), stderr: () => said.stderr };
}

async function enter({ origin, url, port }: Gateway): Promise<Keys> {
  const headers = { host: new URL(origin).host, origin };
  const body = JSON.stringify({ token: tokenOf(url) });
  return keysOf(await ask(port, "/auth/enter", { method: "POST", headers, body }));
}

const connectTo = ({ origin }: Gateway, { cookie, key }: Keys) =>
  webConnect<never>({
    url: `${origin.replace("http", "ws")}/ws/session`,
    key,
    open: (url, protocols) => new WebSocket(url, protocols, { origin, headers: { cookie } }),
  });

async function endOf(child: ChildProcess): Promise<unknown> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode ?? child.signalCode;
}

describe("switchboard web", () => {
  test("is killed again and again, and its clients get every event once and stay signed in", async () => {
    const home = newHome();
    const session = loggedSession();
    const socket = await serveLogged(session);
    let gateway = await startGateway(home, [socket]);
    const keys = await enter(gateway);
    const policy = { tries: Infinity, firstDelayMs: 20, maxDelayMs: 100, factor: 2 };
    await using client = await SessionClient.open(connectTo(gateway, keys), { policy });
    const seen: number[] = [];
    const reading = (async () => {
      for await (const event of client.events()) if ("seq" in event) seen.push(event.seq);
    })();
    const talking = setInterval(() => session.say("x".repeat(200)), 2);
    onTestFinished(() => clearInterval(talking));
    for (let round = 0; round < 4; round += 1) {
      const count = seen.length;
      await expect.poll(() => seen.length).toBeGreaterThan(count + 20);
      gateway.child.kill("SIGKILL");
      await endOf(gateway.child);
      const { port } = gateway;
      gateway = await startGateway(home, [socket]);
      expect(gateway.port).toBe(port);
    }
    clearInterval(talking);
    session.say("last");
    const { lastSeq } = session.log;
    await expect.poll(() => seen.at(-1)).toBe(lastSeq);
    expect(seen).toEqual(Array.from({ length: lastSeq }, (_, at) => at + 1));
    await client.setMode("plan");
    expect(session.handled.map(({ command }) => command.type)).toEqual(["set_mode"]);
    await client.close();
    await reading;
    gateway.child.kill("SIGTERM");
    expect(await endOf(gateway.child)).toBe(0);
  });

  test("writes no link, key or path into its log, and its link file is for its owner alone", async () => {
    const home = newHome();
    const socket = await serveLogged(loggedSession());
    const file = join(home.root, "link");
    const gateway = await startGateway(home, [socket, "--link-file", file]);
    expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual([
      `${gateway.url}\n`,
      0o600,
    ]);
    const keys = await enter(gateway);
    const headers = { host: new URL(gateway.origin).host, cookie: keys.cookie };
    await ask(gateway.port, "/auth/me?secret-in-a-url", { headers });
    await ask(gateway.port, "/api/blob/secret-in-a-path/b", { headers });
    const client = await SessionClient.open(connectTo(gateway, keys));
    await client.close();
    await expect.poll(gateway.stderr).toContain("A WebSocket was closed.");
    const secrets = [
      tokenOf(gateway.url),
      keys.key,
      keys.cookie.split("=")[1] ?? "",
      "secret-in-a",
    ];
    for (const secret of secrets) expect(gateway.stderr()).not.toContain(secret);
    expect(secrets.every(({ length }) => length > 10)).toBe(true);
  });

  test("does not start on all addresses without TLS, and says what to do", async () => {
    const { child, said } = run(newHome(), ["/tmp/s.sock", "--host", "0.0.0.0", "--json"]);
    expect(await endOf(child)).toBe(77);
    expect(said.stdout).toBe("");
    expect(JSON.parse(said.stderr.trim())).toMatchObject({
      code: "exposed_without_tls",
      hint: expect.stringContaining("ssh -L"),
    });
  });

  test("speaks TLS with a certificate, for the names in it, and marks its cookie as secure", async () => {
    const gateway = await startGateway(newHome(), [
      "/tmp/s.sock",
      "--host",
      "0.0.0.0",
      "--tls-cert",
      tls("cert"),
      "--tls-key",
      tls("key"),
    ]);
    expect(gateway.url).toMatch(/^https:\/\/switchboard\.test:\d+\/#enter=/);
    const enterAs = (host: string) =>
      new Promise<{ status?: number; cookie?: string }>((done, fail) => {
        const request = tlsRequest({
          host: "127.0.0.1",
          port: gateway.port,
          path: "/auth/enter",
          method: "POST",
          headers: { host: `${host}:${gateway.port}`, origin: `https://${host}:${gateway.port}` },
          ca: readFileSync(tls("cert")),
          agent: false,
        });
        request.on("error", fail).on("response", (response) => {
          const { statusCode: status = 0, headers } = response.resume();
          done({ status, cookie: headers["set-cookie"]?.[0] ?? "" });
        });
        request.end(JSON.stringify({ token: tokenOf(gateway.url) }));
      });
    expect(await enterAs("a.wild.test")).toMatchObject({ status: 403 });
    const entered = await enterAs("switchboard.test");
    expect(entered).toMatchObject({ status: 200, cookie: expect.stringMatching(/; Secure$/) });
  });
});

// Only root can start a process as another user.
describe.runIf(process.getuid?.() === 0)("another user", () => {
  test("reaches the port and gets nothing, neither by requests nor from the disk", async () => {
    const home = newHome();
    const gateway = await startGateway(home, ["/tmp/s.sock"]);
    const web = join(home.env["XDG_STATE_HOME"] ?? "", "switchboard", "web");
    const [instance = ""] = readdirSync(web);
    const file = join(web, instance, "sign-ins.json");
    expect(statSync(file).isFile()).toBe(true);
    const stranger = startFixture("gateway-stranger.ts", [gateway.origin, file], asStranger);
    expect(JSON.parse(await stranger.nextLine())).toEqual({
      uid: 65_534,
      me: 401,
      metrics: 401,
      post: 401,
      file: "EACCES",
    });
  });
});
