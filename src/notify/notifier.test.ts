import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FakeAgent } from "../../test/support/fake-agent.ts";
import { FakeTeam } from "../../test/support/fake-team.ts";
import { startNotifier, until } from "../../test/support/notifier-stage.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { WebhookServer } from "../../test/support/webhook-server.ts";
import { connectTeam } from "../team/client/connect-team.ts";
import { controlSocket } from "../team/state-dir/control-socket-path.ts";
import { command } from "./command.ts";
import { factOf, TeamSource } from "./team-source.ts";
import { webhook } from "./webhook.ts";

const yaml = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
`;

const asks = async (said: string, self: FakeAgent): Promise<string> =>
  said.includes("quick") ? "at once" : `was ${await self.askLeave("Bash", { command: said })}`;

const teamSource = (stateDir: string) =>
  new TeamSource((onConnection, signal) =>
    connectTeam(controlSocket(stateDir), { onConnection, signal }),
  );

async function allow(team: FakeTeam, request_id: string): Promise<void> {
  await using person = await team.connect();
  await person.request("approve", { request_id });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("Notifier of a team", () => {
  test("tells of a call with the whole command, and of the end of the person's task", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const server = await new WebhookServer().start();
    const { titles, running, end } = startNotifier({
      source: teamSource(team.stateDir),
      sink: webhook({ url: `${server.url}/hook`, format: "json" }),
      linkTo: async ({ request_id = "" }) => `http://page/calls/${request_id}`,
    });
    const answered = team.ask("rm -rf \u202Egnp.exe");
    await until(() => server.calls.length === 1);
    expect(server.calls[0]).toMatchObject({
      path: "/hook",
      body: {
        kind: "asked",
        where: "fake",
        who: "boss",
        title: "boss wants to use Bash",
        text: expect.stringContaining("rm -rf [U+202E]gnp.exe"),
        tool: "Bash",
        repeated: false,
        link: "http://page/calls/toolu_boss_1",
      },
    });
    await allow(team, "toolu_boss_1");
    await answered;
    await until(() => server.calls.length === 2);
    expect(server.calls[1]?.body).toMatchObject({
      kind: "done",
      title: "boss is done",
      text: "was allowed",
    });
    await until(() => titles().length === 2);
    expect(titles()).toEqual(["told: boss wants to use Bash", "told: boss is done"]);
    await end();
    await running;
  });

  test("tells nothing of a call that is decided at once", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const { titles } = startNotifier({ source: teamSource(team.stateDir), settleMs: 300 });
    await team.ask("quick");
    // Now it has heard all that there was.
    await until(() => titles().length === 1);
    const answered = team.ask("ls");
    await team.until("approval_requested");
    await allow(team, "toolu_boss_1");
    await answered;
    await until(() => titles().length === 2);
    expect(titles()).toEqual(["told: boss is done", "told: boss is done"]);
  });

  test("factOf makes no fact of a call that a rule of the policy decides", () => {
    const request = {
      type: "approval_request" as const,
      seq: 1,
      at: "2026-11-18T12:00:00.000Z",
      request_id: "r",
      tool: "Bash",
      input: {},
      scopes: [{ scope: "once" as const, label: "Once" }],
    };
    const asked = { type: "approval_requested" as const, seq: 1, at: request.at, agent: "boss" };
    const origin = { where: "t", key: "t" };
    const policy = { rule: "no ls", action: "deny" as const };
    expect(factOf(origin, { ...asked, request: { ...request, policy } })).toBeUndefined();
    expect(factOf(origin, { ...asked, request })).toMatchObject({ kind: "asked" });
  });

  test("begins with the calls that wait, and goes on after a restart without a gap and without a repetition", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    await team.ask("quick");
    const waiting = team.ask("first");
    await team.until("approval_requested");
    const ledgerFile = join(tempDir(), "ledger.json");
    const first = startNotifier({ source: teamSource(team.stateDir), ledgerFile });
    await until(() => first.titles().length === 1);
    await first.end();
    await allow(team, "toolu_boss_1");
    await waiting;
    // Asked and decided while nobody told: not told as open.
    const missed = team.ask("second");
    await team.until("approval_requested", {
      fits: ({ request }) => request.request_id === "toolu_boss_2",
    });
    await allow(team, "toolu_boss_2");
    await missed;
    const open = team.ask("third");
    await team.until("approval_requested", {
      fits: ({ request }) => request.request_id === "toolu_boss_3",
    });
    const second = startNotifier({ source: teamSource(team.stateDir), ledgerFile, once: true });
    await second.running;
    const texts = second.reports.map((each) =>
      "news" in each ? `${each.news.kind} ${each.news.request_id ?? ""}` : "",
    );
    expect(texts).toEqual(["done ", "done ", "asked toolu_boss_3"]);
    const third = startNotifier({ source: teamSource(team.stateDir), ledgerFile, once: true });
    await third.running;
    expect(third.reports).toEqual([]);
    await allow(team, "toolu_boss_3");
    await open;
  });

  test("waits for a team that does not run, and reads on when it comes back", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    await team.stop();
    const { reports, titles } = startNotifier({ source: teamSource(team.stateDir) });
    await until(() => reports.some(({ type }) => type === "waits"));
    await team.start();
    void team.ask("one").catch(() => {});
    await until(() => titles().includes("told: boss wants to use Bash"));
    expect(reports.filter(({ type }) => type === "waits")).toHaveLength(1);
  });
});

describe("Notifier and its sink", () => {
  test("tries a webhook that is down again, under one id, and obeys Retry-After", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const server = await new WebhookServer().start();
    server.answer = (_call, count) => {
      if (count === 1) return 503;
      return count === 2 ? { status: 429, headers: { "retry-after": "0.05" } } : 204;
    };
    const { reports, titles } = startNotifier({
      source: teamSource(team.stateDir),
      sink: webhook({ url: server.url, format: "slack" }),
    });
    void team.ask("one").catch(() => {});
    await until(() => titles().some((each) => each.startsWith("told")));
    expect(new Set(server.ids).size).toBe(1);
    expect(reports.slice(0, 2)).toMatchObject([
      { type: "retry", why: "The webhook answered 503.", inMs: 5 },
      { type: "retry", why: "The webhook answered 429.", inMs: 50 },
    ]);
  });

  test("a call that is decided while the webhook is down is not told", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const server = await new WebhookServer().start();
    server.answer = () => 500;
    const { titles } = startNotifier({
      source: teamSource(team.stateDir),
      sink: webhook({ url: server.url, format: "json" }),
      tries: 1_000,
    });
    const answered = team.ask("one");
    await until(() => server.calls.length >= 2);
    await allow(team, "toolu_boss_1");
    await answered;
    server.answer = () => 200;
    await until(() => titles().includes("told: boss is done"));
    expect(titles()).not.toContain("told: boss wants to use Bash");
  });

  test("ends with `notify_failed` after so many tries, and the next start tells it", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const server = await new WebhookServer().start();
    server.answer = () => 500;
    const ledgerFile = join(tempDir(), "ledger.json");
    const options = {
      source: teamSource(team.stateDir),
      sink: webhook({ url: `${server.url}/secret`, format: "json" as const }),
      ledgerFile,
      tries: 3,
    };
    const failing = startNotifier(options);
    void team.ask("one").catch(() => {});
    await expect(failing.running).rejects.toMatchObject({
      code: "notify_failed",
      message: expect.not.stringContaining("secret"),
    });
    expect(server.calls).toHaveLength(3);
    server.answer = () => 200;
    await startNotifier({ ...options, once: true }).running;
    expect(server.calls).toHaveLength(4);
    expect(server.calls[3]?.body["repeated"]).toBe(false);
  });

  test("an address that is wrong ends it at once; a body that is refused is said, and the next is told", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const server = await new WebhookServer().start();
    server.answer = () => 404;
    const ledgerFile = join(tempDir(), "ledger.json");
    const options = {
      source: teamSource(team.stateDir),
      sink: webhook({ url: server.url, format: "json" as const }),
      ledgerFile,
    };
    const wrong = startNotifier(options);
    const answered = team.ask("one");
    await expect(wrong.running).rejects.toMatchObject({ code: "notify_failed" });
    expect(server.calls).toHaveLength(1);
    server.answer = (_call, count) => (count === 2 ? 400 : 200);
    const refusing = startNotifier(options);
    await until(() => refusing.titles().includes("refused: boss wants to use Bash"));
    await allow(team, "toolu_boss_1");
    await answered;
    await until(() => refusing.titles().includes("told: boss is done"));
    await expect(refusing.end()).rejects.toMatchObject({ code: "notify_failed" });
  });

  test("news without an answer are told again and say so, or are skipped with `skip`", async () => {
    for (const ifUnsure of ["again", "skip"] as const) {
      const team = await FakeTeam.up(yaml, { boss: asks });
      const server = await new WebhookServer().start();
      server.answer = (_call, count) => (count === 1 ? "hang up" : 200);
      const { titles } = startNotifier({
        source: teamSource(team.stateDir),
        sink: webhook({ url: server.url, format: "json" }),
        ifUnsure,
      });
      void team.ask("one").catch(() => {});
      await until(() => titles().some((each) => /^(?:told|skipped)/.test(each)));
      const repeated = server.calls.map(({ body }) => body["repeated"]);
      expect(repeated).toEqual(ifUnsure === "again" ? [false, true] : [false]);
    }
  });

  test("runs a command with the news as JSON on stdin and in variables, never in arguments or a shell", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const out = join(tempDir(), "told");
    const program = join(tempDir(), "tell");
    writeFileSync(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$*" "$SWITCHBOARD_NOTIFY_TITLE" "$SWITCHBOARD_WEBHOOK$PRIVATE" > "${out}.tmp"\ncat >> "${out}.tmp"\nmv "${out}.tmp" "${out}"\n`,
      { mode: 0o755 },
    );
    const source = { PATH: process.env["PATH"], PRIVATE: "mine" };
    startNotifier({
      source: teamSource(team.stateDir),
      sink: command({ command: program, args: ["a b", "$(id)"], source }),
    });
    void team.ask("$(touch /tmp/x); `id`").catch(() => {});
    await until(() => existsSync(out));
    const [args, title, secret, ...json] = readFileSync(out, "utf8").split("\n");
    expect([args, title, secret]).toEqual(["a b $(id)", "boss wants to use Bash", "mine"]);
    expect(JSON.parse(json.join("\n"))).toMatchObject({
      kind: "asked",
      text: expect.stringContaining("$(touch /tmp/x); `id`"),
    });
  });

  test("a command that fails is run again, with what it said in the report", async () => {
    const team = await FakeTeam.up(yaml, { boss: asks });
    const { reports, running } = startNotifier({
      source: teamSource(team.stateDir),
      sink: command({ command: "sh", args: ["-c", "echo no bell >&2; exit 3"] }),
      tries: 2,
    });
    void team.ask("one").catch(() => {});
    await expect(running).rejects.toMatchObject({ code: "notify_failed" });
    expect(reports).toMatchObject([{ type: "retry", why: "sh ended with 3: no bell" }]);
  });

  test("a damaged ledger is an error that names the file", async () => {
    const ledgerFile = join(tempDir(), "ledger.json");
    writeFileSync(ledgerFile, "{");
    const { running } = startNotifier({ source: teamSource("/nonexistent"), ledgerFile });
    await expect(running).rejects.toMatchObject({
      code: "log_damaged",
      message: expect.stringContaining(ledgerFile),
    });
  });
});

test("webhook takes user and password from the address, and names it in no error", async () => {
  const server = await new WebhookServer().start();
  const address = new URL(`${server.url}/topic?x=1`);
  [address.username, address.password] = ["ada", "p w"];
  const news = {
    id: "id-1",
    kind: "done",
    at: "",
    where: "w",
    who: "a",
    title: "t",
    text: "x",
  } as const;
  const { signal } = new AbortController();
  const deliver = (options: Parameters<typeof webhook>[0]) =>
    webhook(options).deliver({ ...news, repeated: false }, signal);
  expect(await deliver({ url: address.href, format: "ntfy" })).toEqual({ kind: "told" });
  expect(server.calls[0]).toMatchObject({
    path: "/?x=1",
    headers: { authorization: `Basic ${btoa("ada:p w")}`, "idempotency-key": "id-1" },
    body: { topic: "topic" },
  });
  await deliver({ url: address.href, format: "json", token: "tk_1" });
  expect(server.calls[1]?.headers.authorization).toBe("Bearer tk_1");
  server.answer = () => ({ status: 302, headers: { location: `${server.url}/elsewhere` } });
  expect(await deliver({ url: address.href, format: "json" })).toMatchObject({ kind: "wrong" });
  expect(server.calls).toHaveLength(3);
  const absent = await freePort();
  const away = await deliver({ url: `http://127.0.0.1:${absent}/secret`, format: "json" });
  expect(away).toMatchObject({ kind: "later", mayHaveArrived: false });
  expect(JSON.stringify(away)).not.toContain("secret");
  for (const url of ["htps:/secret", "secret", "file:///secret"]) {
    expect(() => webhook({ url, format: "json" })).toThrow(
      /^The webhook is no http or https address\.$/,
    );
  }
});
