import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startAgentSocket } from "../support/agent-socket-process.ts";
import { endOf, KilledSession } from "../support/killed-session.ts";
import type { Line } from "../support/session-line-client.ts";
import { SessionLineClient } from "../support/session-line-client.ts";
import { smallMcpServer } from "../support/small-mcp-server.ts";
import { cliPidOf } from "../support/stage-processes.ts";

const withinMs = 60_000;
const codeOf = ({ code, type }: Line): unknown => code ?? type;

const script = `
default: { text: "I am here." }
`;

test(
  "[SES-9] [SES-45] [SES-59] [SES-60] [SES-63] [SES-64] [SES-65] [SES-66] what is wrong with a name, a choice, a title, a completion or a set of servers is answered by its name; what is right holds, also sent twice, by two, and through the death of CLI and host",
  { timeout: 180_000 },
  async () => {
    const stage = new KilledSession(script);
    writeFileSync(join(stage.home.cwd, "apple.txt"), "");
    const ann = await stage.client("ann");
    const bob = await stage.client("bob");
    await stage.ask(ann, "hello");

    // Who is here, under which name, and what time it is.
    for (const client of ["", "x".repeat(201), 5, null, "two\nlines"]) {
      const { code } = await bob.ask({ type: "attach", since: 0, client });
      expect([client, code]).toEqual([client, "invalid_params"]);
    }
    const second = await stage.host.connect();
    expect(await second.ask({ type: "attach", since: 0, client: "ann" })).toMatchObject({
      client: "ann-2",
    });
    const peek = new SessionLineClient(stage.observe);
    const reader = (await peek.until("init"))["client"];
    const hereFor = async (client: SessionLineClient): Promise<unknown[]> =>
      ((await client.ask({ type: "status" }))["clients"] as Line[])
        .map(({ client: name, read_only: isReader }) => [name, isReader])
        .toSorted();
    const all = [
      ["ann", false],
      ["ann-2", false],
      ["bob", false],
      [reader, true],
    ].toSorted();
    expect(await hereFor(ann)).toEqual(all);
    expect(await hereFor(peek)).toEqual(all);
    const since = bob.told.length;
    second.socket.destroy();
    const without = ({ clients }: Line): boolean => (clients as Line[]).length === 3;
    const changed: Line = await bob.until("clients", { since, fits: without });
    expect(changed).not.toHaveProperty("seq");
    expect(JSON.stringify(changed)).not.toContain("ann-2");
    peek.socket.destroy();
    expect(await bob.ask({ type: "ping" })).toMatchObject({
      type: "pong",
      at: expect.stringMatching(/Z$/),
    });

    const wrong: [string, object[]][] = [
      [
        "complete",
        [{ kind: "person", prefix: "" }, { prefix: "" }, { kind: "file" }].concat(
          [null, 5, "x".repeat(4097)].map((prefix) => ({ kind: "file", prefix }) as never),
          [0, 201, 1.5, "5"].map((limit) => ({ kind: "file", prefix: "", limit }) as never),
        ),
      ],
      ["rename", ["", "  ", "two\nlines", "x".repeat(201), 7, null].map((title) => ({ title }))],
      ["set_mode", [{}, { mode: "nonsense" }, { mode: null }]],
      ["set_thinking", [{ effort: "nonsense" }, { effort: 3 }]],
      [
        "set_mcp_servers",
        [
          {},
          ...[null, [], { small: {} }, { small: null }, { "": { command: "x" } }].map(
            (servers) => ({ servers }),
          ),
          { servers: { small: { type: "http" } } },
          {
            servers: Object.fromEntries(
              Array.from({ length: 101 }, (_, n) => [`s${n}`, { command: "x" }]),
            ),
          },
        ],
      ],
    ];
    for (const [type, commands] of wrong) {
      for (const fields of commands) {
        const answer = await bob.ask({ type, ...fields });
        expect([type, fields, answer["code"]]).toEqual([type, fields, "invalid_params"]);
      }
    }
    const big = { big: { command: "x".repeat(300_000) } };
    expect(await bob.ask({ type: "set_mcp_servers", servers: big })).toMatchObject({
      code: "message_too_large",
    });
    // Not among the modes that are listed.
    expect(await bob.ask({ type: "set_mode", mode: "bypassPermissions" })).toMatchObject({
      type: "error",
    });
    const told = new Set(ann.events.map(({ type }) => type));
    for (const type of ["mode_changed", "title_changed", "mcp_servers_set"]) {
      expect(told).not.toContain(type);
    }

    // Twice, and by two at the same moment: everybody sees the same order, and the newest counts.
    const complete = { type: "complete", kind: "file", prefix: "app" };
    const apple = { items: [{ path: "apple.txt", kind: "file" }], more: false };
    expect(await bob.ask(complete)).toMatchObject(apple);
    expect(await bob.ask(complete)).toMatchObject(apple);
    expect(await bob.ask({ ...complete, prefix: "nothing-like-it" })).toMatchObject({
      items: [],
      more: false,
    });
    for (let round = 0; round < 2; round += 1) {
      expect(await ann.ask({ type: "rename", title: "The same" })).toMatchObject({ type: "ok" });
    }
    await Promise.all([
      ann.ask({ type: "rename", title: "By ann" }),
      bob.ask({ type: "rename", title: "By bob" }),
    ]);
    const titlesOf = (client: SessionLineClient): unknown[] =>
      client.events.filter(({ type }) => type === "title_changed").map(({ title }) => title);
    const watcher = new SessionLineClient(stage.observe);
    await watcher.ask({ type: "attach", since: 0 });
    const titles = titlesOf(ann);
    expect(titles.slice(-2).toSorted()).toEqual(["By ann", "By bob"]);
    await expect.poll(() => titlesOf(watcher)).toEqual(titles);
    const { title } = await bob.ask({ type: "status" });
    expect(title).toBe(titles.at(-1));

    const small = smallMcpServer(stage.home.root);
    const set = { type: "set_mcp_servers", servers: { small } };
    const outcomes = await Promise.all([ann.ask(set), bob.ask(set)]);
    expect(outcomes.map(({ servers }) => servers)).toEqual([
      [{ name: "small", outcome: "added" }],
      [{ name: "small", outcome: "kept" }],
    ]);

    // The CLI is killed in the moment of a command: its answer is true, or says to send it again.
    const killed = ann.told.length;
    const raced = bob.ask({ ...set, servers: { small, other: small } });
    process.kill(cliPidOf({ configDir: stage.home.root }), "SIGKILL");
    expect(["ok", "cli_exited"]).toContain(codeOf(await raced));
    expect(await bob.ask(complete)).toMatchObject(apple);
    await ann.until("notice", {
      since: killed,
      withinMs,
      fits: ({ code }) => code === "cli_restarted",
    });
    const areUp = async (client: SessionLineClient): Promise<unknown> => {
      const { mcp_servers: servers = [] } = await client.ask({ type: "status" });
      return (servers as Line[]).map(({ name, status }) => `${name} ${status}`).toSorted();
    };
    const both = ["other connected", "small connected"];
    await expect.poll(() => areUp(ann), { timeout: withinMs, interval: 100 }).toEqual(both);

    await stage.killHost();
    const cleo = await stage.client("cleo");
    expect(cleo.told[0]).toMatchObject({
      type: "init",
      title,
      mode: "default",
      at: expect.stringMatching(/Z$/),
      clients: [{ client: expect.stringMatching(/^client-/), read_only: false }],
    });
    await expect.poll(() => areUp(cleo), { timeout: withinMs, interval: 100 }).toEqual(both);
    expect(titlesOf(cleo)).toEqual(titles);
    expect(await cleo.ask(complete)).toMatchObject(apple);
    const choices = await cleo.ask({ type: "status" });
    expect((choices["models"] as Line[]).map(({ id }) => id)).toContain("sonnet");
    expect(await cleo.ask({ ...set, servers: {} })).toMatchObject({
      servers: expect.arrayContaining([{ name: "small", outcome: "removed" }]),
    });
    await endOf(cleo, stage.say(cleo, "still there?"));

    // On disk: what runs is refused, what a kill has left is not taken for running.
    const { session_id: id } = await stage.host.ready;
    const run = (...args: string[]) => startAgentSocket(stage.home, args).ended;
    const from = ["--cwd", stage.home.cwd, "--rehearsal", join(stage.home.root, "script.yaml")];
    const fork = [...from, "--resume", id, "--fork"];
    expect(await run(...fork, "--at", "nothing")).toMatchObject({ code: 65 });
    expect(
      await run(...from, "--resume", "00000000-0000-4000-8000-000000000000", "--fork"),
    ).toMatchObject({ code: 66 });
    await stage.host.end("SIGKILL");
  },
);
