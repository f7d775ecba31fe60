import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ask, keysOf, tokenOf } from "../support/gateway-stage.ts";
import { ProjectStage } from "../support/project-stage.ts";

const SLOW_MS = 300_000;

const team = `
name: told
lead: boss
confirm_roles: false
policy: [{ tool: Bash, match: "echo*", action: ask }]
agents:
  boss: { description: leads the work, prompt: You lead. }
`;

const script = `
rules:
  - when: { user: build }
    tools: [{ name: Bash, input: { command: echo "it is built" } }]
default: { text: It is built. }
`;

interface Told {
  id: string;
  kind: string;
  text: string;
  link?: string;
  request_id?: string;
}

test(
  "`notify --run` tells of a real call with a link that opens it, once, also over a kill of the team, and of the end",
  { timeout: SLOW_MS },
  async () => {
    const stage = new ProjectStage(script);
    const project = stage.project("one", team);
    const started = await project.up("--port", "0");
    // `up` of the stage serves no page: one by hand stays when the team is killed.
    const page = project.spawn("web", "--port", "0");
    await expect.poll(() => page.said.out, { timeout: 60_000 }).toContain("#enter=");

    const out = join(stage.root, "told");
    const tell = join(stage.root, "tell");
    writeFileSync(
      tell,
      `#!/bin/sh\nmkdir -p "${out}"\ncat > "${out}/$SWITCHBOARD_NOTIFY_ID.part"\nmv "${out}/$SWITCHBOARD_NOTIFY_ID.part" "${out}/$$.json"\n`,
      { mode: 0o755 },
    );
    const told = (): Told[] =>
      (existsSync(out) ? readdirSync(out) : [])
        .filter((name) => name.endsWith(".json"))
        .map((name) => JSON.parse(readFileSync(join(out, name), "utf8")) as Told);
    const notifier = project.spawn("notify", "--run", tell);
    const sent = project.spawn("send", "build");
    await expect.poll(() => told().length, { timeout: 60_000 }).toBe(1);
    const [call] = told();
    expect(call).toMatchObject({
      kind: "asked",
      text: expect.stringContaining('echo "it is built"'),
    });

    const url = new URL(call?.link ?? "");
    expect(url.pathname).toBe(`/calls/${call?.request_id}`);
    const { host, origin } = url;
    const headers = { host, origin };
    const opened = await ask(Number(url.port), url.pathname, { headers: { host } });
    expect([opened.status, opened.headers["content-type"]]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const enter = () =>
      ask(Number(url.port), "/auth/enter", {
        method: "POST",
        headers,
        body: JSON.stringify({ token: tokenOf(url.href) }),
      });
    const entered = await enter();
    expect([entered.status, keysOf(entered).key !== ""]).toEqual([200, true]);
    expect((await enter()).status).toBe(401);

    started.child.kill("SIGKILL");
    await started.exited;
    const again = project.spawn("up", "team.yaml", "--no-web", "--rehearsal", stage.script);
    const waiting = async () => (await project.run("approvals", "--json")).out;
    await expect.poll(waiting, { timeout: 60_000 }).toContain(call?.request_id);
    expect((await project.run("approve", call?.request_id ?? "")).code).toBe(0);
    await expect.poll(() => told().length, { timeout: 60_000 }).toBe(2);
    expect(told().find(({ kind }) => kind === "done")).toMatchObject({ text: "It is built." });
    expect(await sent.exited).toBe(0);

    notifier.child.kill("SIGINT");
    expect(await notifier.exited).toBe(0);
    expect(notifier.said.err).toBe("");
    page.child.kill("SIGINT");
    again.child.kill("SIGINT");
    await Promise.all([page.exited, again.exited]);
    expect(told()).toHaveLength(2);
    await expect.poll(() => stage.processes()).toEqual([]);
  },
);
