import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { Engine } from "../../engine/index.ts";
import { errorOf } from "../../wire/errors.ts";
import { openLog } from "../log/open-log.ts";
import { Recorder } from "./event-recorder.ts";
import { SessionServers } from "./session-servers.ts";

type Answer = Awaited<ReturnType<Engine["setMcpServers"]>>;

/** A CLI that adds what it did not have. */
class FakeEngine {
  readonly asked: Record<string, unknown>[] = [];
  answer: (answer: Answer) => Answer = (answer) => answer;

  async setMcpServers(servers: Record<string, unknown>): Promise<Answer> {
    const before = this.asked.at(-1) ?? {};
    this.asked.push(servers);
    const added = Object.keys(servers).filter((name) => !(name in before));
    return this.answer({ added, removed: [], errors: {} });
  }
}

function stage(directory = memoryDir()) {
  const log = openLog(directory);
  onTestFinished(() => log.close());
  const engine = new FakeEngine();
  const life = {
    engine: engine as unknown as Engine | undefined,
    whenReady: async () => engine as unknown as Engine,
  };
  const given = { flag: { command: "flag-server", args: [] } };
  const options = { privateDir: directory, mcpServers: given };
  const servers = new SessionServers(options, new Recorder(log), life);
  return { directory, log, engine, life, servers };
}

const docs = { command: "docs-server", env: { KEY: "s3cret" } };

test("[SES-66] set servers are given to the CLI beside those of the start, and each has its outcome", async () => {
  const { engine, servers } = stage();
  engine.answer = (answer) => ({ ...answer, errors: { web: "posix_spawn 'stdio'" } });
  const web = { command: "web-server", args: ["--fast"] };
  expect(await servers.set({ docs, web }, "ann")).toEqual([
    { name: "docs", outcome: "added" },
    { name: "web", outcome: "failed", error: "posix_spawn 'web-server'" },
  ]);
  // The SDK needs a list of arguments.
  const flag = { command: "flag-server", args: [] };
  expect(engine.asked).toEqual([{ flag }, { flag, docs: { ...docs, args: [] }, web }]);
  engine.answer = (answer) => answer;
  expect(await servers.set({ web }, "ann")).toEqual([
    { name: "web", outcome: "kept" },
    { name: "docs", outcome: "removed" },
  ]);
  expect(servers.programOf("flag")).toBe("flag-server");
});

test("[SES-66] set servers survive in a private file, and their keys are nowhere else", async () => {
  const { directory, log, servers } = stage();
  await servers.set({ docs }, "ann");
  await log.close();
  const isSecret = (name: string): boolean =>
    readFileSync(join(directory, name), "utf8").includes("s3cret");
  const files = readdirSync(directory).filter((name) => statSync(join(directory, name)).isFile());
  expect(files.filter(isSecret)).toEqual(["set-mcp-servers.json"]);
  expect(statSync(join(directory, "set-mcp-servers.json")).mode & 0o777).toBe(0o600);

  const again = stage(directory);
  expect(again.servers.all).toMatchObject({ flag: {}, docs });
  await again.servers.set({}, "bob");
  expect(readdirSync(directory)).not.toContain("set-mcp-servers.json");
  expect(Object.keys(again.servers.all)).toEqual(["flag"]);
});

test("[SES-66] a broken file of servers counts as none", () => {
  const directory = memoryDir();
  writeFileSync(join(directory, "set-mcp-servers.json"), '{"docs":{"nothing":1}}');
  expect(Object.keys(stage(directory).servers.all)).toEqual(["flag"]);
});

test.each([
  { when: "after others", earlier: [{}] },
  { when: "for the first time", earlier: [] },
])(
  "[SES-66] servers that are set $when while the CLI ends are kept for the next one",
  async ({ earlier }) => {
    const { directory, engine, life, servers } = stage();
    for (const each of earlier) await servers.set(each, "ann");
    engine.answer = () => {
      life.engine = undefined;
      throw errorOf("timeout", "no answer");
    };
    await expect(servers.set({ docs }, "ann")).rejects.toMatchObject({ code: "cli_exited" });
    expect(servers.all).toMatchObject({ docs });
    expect(readdirSync(directory)).toContain("set-mcp-servers.json");
  },
);

test("[SES-66] of two changes at once the second counts", async () => {
  const { engine, servers } = stage();
  await Promise.all([servers.set({ docs }, "ann"), servers.set({}, "bob")]);
  expect(engine.asked.map((asked) => Object.keys(asked))).toEqual([
    ["flag"],
    ["flag", "docs"],
    ["flag"],
  ]);
  expect(Object.keys(servers.all)).toEqual(["flag"]);
});

test.each(["a_b", "a b", "a.b"])(
  "[SES-86] a server with the name %o cannot be set while a client offers tools that the model sees as a_b",
  async (name) => {
    const { servers } = stage();
    await servers.offer({ a_b: { command: "offered", args: [] } });
    await expect(servers.set({ [name]: docs }, "ann")).rejects.toMatchObject({
      code: "name_in_use",
      data: { namespace: "a_b" },
    });
    expect(servers.ownNames).toEqual(["flag"]);
    await servers.set({ "a-b": docs }, "ann");
    expect(servers.ownNames).toEqual(["flag", "a-b"]);
  },
);

test("[SES-86] of a server and offered tools of one name that come at once, the later one is refused", async () => {
  const { life, engine, servers } = stage();
  const offered = { docs: { command: "offered", args: [] } };
  const ready = Promise.withResolvers<Engine>();
  life.whenReady = () => ready.promise;
  const setting = servers.set({ docs }, "ann");
  const offering = servers.offer(offered);
  ready.resolve(engine as unknown as Engine);
  await expect(setting).rejects.toMatchObject({ code: "name_in_use" });
  await offering;
  expect(servers.ownNames).toEqual(["flag"]);

  await servers.offer({});
  await servers.set({ docs }, "ann");
  await expect(servers.offer(offered)).rejects.toMatchObject({ code: "name_in_use" });
  expect(servers.all).toMatchObject({ docs });
});
