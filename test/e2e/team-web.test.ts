import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { GatewayLink } from "../../src/wire/gateway.ts";
import { ask, keysOf, tokenOf } from "../support/gateway-stage.ts";
import type { Project, Started } from "../support/project-stage.ts";
import { ProjectStage } from "../support/project-stage.ts";

const SLOW_MS = 300_000;

const team = `
name: seen
lead: boss
confirm_roles: false
agents:
  boss: { description: leads the work, prompt: You lead. }
`;
const script = "default: { text: Very well. }";

const linkIn = (text: string): string =>
  /http:\/\/127\.0\.0\.1:\d+\/#enter=\S+/.exec(text)?.[0] ?? "";

const enter = async (url: string) => {
  const { port, host, origin } = new URL(url);
  const headers = { host, origin };
  const body = JSON.stringify({ token: tokenOf(url) });
  const keys = keysOf(await ask(Number(port), "/auth/enter", { method: "POST", headers, body }));
  const get = (path: string) => {
    const own = { host, cookie: keys.cookie, "x-switchboard-key": keys.key };
    return ask(Number(port), path, { headers: own });
  };
  return Object.assign(async (path = "/auth/me") => (await get(path)).status, { get });
};

/** The gateway's process, from its place in the process table. */
const gatewaysOf = (stage: ProjectStage): number[] =>
  stage.processes().filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("--no-link");
    } catch {
      return false;
    }
  });

async function up(project: Project, ...flags: string[]): Promise<Started> {
  const { script: path } = project.stage;
  const started = project.spawn("up", "team.yaml", "--rehearsal", path, ...flags);
  await expect.poll(() => linkIn(started.said.out) || started.said.err).toMatch(/^http/);
  return started;
}

test(
  "`up` serves the page and prints its link; killed, the page comes back on its port and the sign-in holds",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const project = stage.project("one", team);
    const started = await up(project);
    const url = linkIn(started.said.out);
    const page = await ask(Number(new URL(url).port), "/", {
      headers: { host: new URL(url).host },
    });
    expect([page.status, page.body]).toEqual([200, expect.stringContaining("<script")]);
    const status = await enter(url);
    expect(await status()).toBe(200);

    for (let round = 0; round < 2; round += 1) {
      const [gateway = 0] = gatewaysOf(stage);
      process.kill(gateway, "SIGKILL");
      await expect.poll(() => status().catch(() => "gone")).toBe("gone");
      await expect.poll(() => status().catch(() => "gone")).toBe(200);
      expect(gatewaysOf(stage)).not.toContain(gateway);
    }
    expect(started.child.exitCode).toBeNull();
    expect(started.said.err).toBe("");

    // Whoever is at the machine makes further links, and takes them back.
    const made = await project.run("web", "link", "--viewer", "--name", "bob", "--for", "2h");
    expect(made).toMatchObject({ code: 0, err: expect.stringContaining("It works once, for bob") });
    const bob = await enter(linkIn(made.out));
    expect([await bob(), await bob("/metrics")]).toEqual([200, 403]);
    const { out } = await project.run("web", "links", "--json");
    const links = out.split("\n").map((line) => JSON.parse(line) as GatewayLink);
    const his = links.find(({ name }) => name === "bob");
    expect(his).toMatchObject({ role: "viewer", state: "used" });
    expect((await project.run("web", "unlink", his?.id ?? "")).code).toBe(0);
    expect(await bob()).toBe(401);
    expect(await status()).toBe(200);
    expect((await project.run("web", "links")).out).toMatch(/^ID +NAME +ROLE[^]*owner +signed in/);

    // What was said can be taken along: from an agent that runs, and from one that has been stopped.
    expect((await project.run("send", "say: hello")).out).toBe("Very well.");
    const get = (path: string) => status.get(path);
    const running = await get("/api/export/session/boss.jsonl");
    expect(running.body.split("\n").filter(Boolean).length).toBeGreaterThan(5);
    expect((await project.run("stop", "boss")).code).toBe(0);
    await expect.poll(async () => (await project.run("status")).out).toContain("stopped");
    const stopped = await get("/api/export/session/boss.jsonl");
    expect(stopped.body.startsWith(running.body)).toBe(true);
    const text = await get("/api/export/session/boss.md");
    expect(text.headers).toMatchObject({
      "content-type": "text/markdown; charset=utf-8",
      "content-disposition": 'attachment; filename="boss.md"',
    });
    expect(text.body).toMatch(/^# boss\n[^]*\n## [^\n]*\n\n[^]*say: hello[^]*\nVery well\.\n/);
    expect((await get("/api/export/session/nobody.md")).status).toBe(404);

    // The same bytes as from the command line.
    const csv = await project.stage.run(project.directory, ["log", "--csv"]);
    const table = await get("/api/export/log.csv");
    expect(table.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(table.body).toBe(`${csv.out}\r\n`);
    expect(table.body.split("\r\n").length).toBeGreaterThan(2);
    const filtered = await get("/api/export/log.csv?level=ERROR");
    expect(filtered.body).toBe(`${table.body.split("\r\n")[0] ?? ""}\r\n`);
    const lines = await project.run("log", "--json");
    expect(JSON.parse((await get("/api/export/log.json")).body)).toEqual(
      lines.out.split("\n").map((line) => JSON.parse(line) as unknown),
    );
    expect((await get("/api/export/log.csv?level=LOUD")).status).toBe(422);

    // A second `web` and a second `up` lead to the page that is there.
    const second = await project.run("web", "--json");
    expect(JSON.parse(second.out)).toMatchObject({ origin: new URL(url).origin, elsewhere: true });
    const again = project.spawn("up", "team.yaml", "--rehearsal", stage.script);
    await expect.poll(() => linkIn(again.said.out)).toContain(new URL(url).origin);
    again.child.kill("SIGINT");
    expect(await again.exited).toBe(0);
    expect(await status()).toBe(200);

    started.child.kill("SIGINT");
    expect(await started.exited).toBe(0);
    await expect.poll(() => stage.processes()).toEqual([]);
    const gone = await project.run("web", "link");
    expect(gone).toMatchObject({ code: 69, err: expect.stringContaining("switchboard web") });
  },
);

test(
  "the gateway dies with a killed `up`, and `--no-web` starts none",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const project = stage.project("one", team);
    const first = await up(project);
    const [gateway = 0] = gatewaysOf(stage);
    expect(gateway).toBeGreaterThan(0);
    first.child.kill("SIGKILL");
    await expect.poll(() => gatewaysOf(stage)).toEqual([]);
    const { said, child, exited } = await project.up();
    expect(gatewaysOf(stage)).toEqual([]);
    expect(linkIn(said.out)).toBe("");
    child.kill("SIGINT");
    expect(await exited).toBe(0);
  },
);

test(
  "`up -d --port --open` prints the link and opens it by way of a file; no log and no argument holds it",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const project = stage.project("one", team);
    const opened = join(stage.root, "opened");
    const program = join(stage.root, "xdg-open");
    writeFileSync(program, `#!/bin/sh\nprintf '%s' "$*" > "${opened}"\n`, { mode: 0o755 });
    const port = await freePort();
    const flags = ["-d", "--rehearsal", stage.script, "--port", String(port), "--open"];
    const path = `${stage.root}:${process.env["PATH"] ?? ""}`;
    const begun = await stage.run(project.directory, ["up", "team.yaml", ...flags], { PATH: path });
    const url = linkIn(begun.out);
    expect([begun.code, Number(new URL(url).port)]).toEqual([0, port]);
    await expect.poll(() => existsSync(opened) && readFileSync(opened, "utf8")).toMatch(/\.html$/);
    const { stateDir } = project.state;
    expect(readFileSync(opened, "utf8")).toBe(join(stateDir, "web/open.html"));
    expect(readFileSync(join(stateDir, "web/open.html"), "utf8")).toContain(`url=${url}"`);
    const token = tokenOf(url);
    for (const log of ["up.log", "web/gateway.log"])
      expect(readFileSync(join(stateDir, log), "utf8")).not.toContain(token);
    expect(await (await enter(url))()).toBe(200);

    const again = await project.run("up", "-d", "team.yaml", "--rehearsal", stage.script);
    expect(again.out).toMatch(/is running already[^]*In the browser: http/);
    expect((await project.run("down")).code).toBe(0);
    await expect.poll(() => stage.processes()).toEqual([]);
  },
);

test(
  "a port that is taken costs the team nothing, and `up` says it",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const project = stage.project("one", team);
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const flags = ["--rehearsal", stage.script, "--port", String(port)];
    const started = project.spawn("up", "team.yaml", ...flags);
    await expect.poll(() => started.said.err).toMatch(/^The page is not served\. .*port/);
    await expect.poll(() => started.said.out).toContain("ready");
    expect((await project.run("send", "hello")).out).toBe("Very well.");
    started.child.kill("SIGINT");
    expect(await started.exited).toBe(0);
  },
);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
