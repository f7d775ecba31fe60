import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectSession, emptyConversation, fold } from "../../src/client/index.ts";
import { parseSessionMessage } from "../../src/wire/session/answers.ts";
import { newHome, startSession, writeScript } from "../support/agent-socket-process.ts";
import { flowOf } from "../support/flow-fixture.ts";
import type { SessionLineClient } from "../support/session-line-client.ts";
import { tempDir } from "../support/temp-dir.ts";

const project = resolve(import.meta.dirname, "../..");
const fixtures = join(project, "test/fixtures/session/v1");

const script = `
name: one call
rules:
  - when: { user: '/look at (?<file>\\S+)/' }
    text: "I look at \${file}."
    tools:
      - name: Bash
        input: { command: "touch looked && wc -c < \${file}" }
  - when: { tool_result: Bash }
    text: "It says: \${tool_result}"
  - when: { user: forbidden }
    fault: { kind: http, status: 403 }
default:
  text: "You said: \${user}"
`;

const withinMs = 60_000;
/** A first build compiles a part of the standard library. */
const GO_BUILD_MS = 300_000;

function stage() {
  const home = newHome();
  writeFileSync(join(home.cwd, "README.md"), "hello\n");
  return { home, host: startSession(home, writeScript(home, script)) };
}

/** Says it as a plain client would, and answers the approval, if there is to be one, with these fields. */
async function playFlow(client: SessionLineClient, { text, answer }: Flow): Promise<void> {
  const since = client.told.length;
  client.send({ type: "message", text });
  if (answer) {
    const asked = await client.until("approval_request", { since, withinMs });
    client.send({ request_id: asked["request_id"], ...answer });
  }
  await client.until("done", { since, withinMs });
}

interface Flow {
  readonly text: string;
  readonly answer?: object;
}

const text = "look at README.md";
/** The first one begins with the connection. */
const flows: [name: string, flow: Flow][] = [
  ["answered", { text: "hello" }],
  ["failed", { text: "forbidden" }],
  ["allowed", { text, answer: { type: "approve" } }],
  ["denied", { text, answer: { type: "deny", reason: "Not now" } }],
  ["denied-and-stopped", { text, answer: { type: "deny", interrupt: true } }],
  ["aborted", { text, answer: { type: "abort" } }],
];

/** Checksums of the kept lines. A client of that day knows these, so another protocol gets lines of its own beside them. */
const recorded = {
  answered: "874725d0b6fd",
  failed: "bbe733ca7877",
  allowed: "9925948ad721",
  denied: "16dea77cd944",
  "denied-and-stopped": "507318995c7f",
  aborted: "f04ef5bad24f",
};

describe("the flows of the first protocol, as raw lines", () => {
  test("a fresh run still gives the lines that are kept, and at most more fields", async () => {
    const { home, host } = stage();
    const client = await host.connect();
    let from = 0;
    for (const [name, course] of flows) {
      await playFlow(client, course);
      const flow = flowOf(client.told.slice(from), home.cwd);
      from = client.told.length;
      const file = join(fixtures, `${name}.jsonl`);
      // To record them again, after a look at what has changed: UPDATE_FLOWS=1.
      if (process.env["UPDATE_FLOWS"]) {
        writeFileSync(file, flow.map((line) => `${JSON.stringify(line)}\n`).join(""));
      }
      expect(flow).toMatchObject(linesOf(file));
    }
  });

  test("no kept line has been recorded again since protocol 1 began", () => {
    const files = Object.entries(recorded).map(([name, sum]) => {
      const bytes = readFileSync(join(fixtures, `${name}.jsonl`));
      return [name, createHash("sha256").update(bytes).digest("hex").slice(0, sum.length)];
    });
    expect(Object.fromEntries(files)).toEqual(recorded);
    expect(Object.keys(recorded)).toEqual(flows.map(([name]) => name));
  });

  test("every kept line is still understood", () => {
    const files = readdirSync(fixtures);
    expect(files.toSorted()).toEqual(flows.map(([name]) => `${name}.jsonl`).toSorted());
    for (const line of files.flatMap((file) => linesOf(join(fixtures, file)))) {
      expect(parseSessionMessage(line)).toEqual({ ok: true, value: line });
    }
  });
});

const linesOf = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);

/** The programs of the guide, for this socket, where a user of the package would have them. */
function programsOfGuide(socket: string): string[] {
  const guide = readFileSync(join(project, "docs/client.md"), "utf8");
  const home = tempDir();
  mkdirSync(join(home, "node_modules"));
  symlinkSync(project, join(home, "node_modules/agent-switchboard"));
  return [...guide.matchAll(/```ts\n([^]*?)```/g)].map(([, program = ""], index) => {
    const file = join(home, `program-${index}.mts`);
    writeFileSync(file, program.replace("/tmp/my.sock", socket));
    return file;
  });
}

test(
  "clients in Python, Go and TypeScript hold a conversation with an approval",
  { timeout: GO_BUILD_MS },
  async () => {
    const { home, host } = stage();
    const { socket } = await host.ready;
    const run = async (command: string, args: string[], cwd: string): Promise<string> => {
      const env = { ...process.env, GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" };
      const { stdout } = await execa(command, [...args, socket, "look at README.md"], { cwd, env });
      expect(existsSync(join(home.cwd, "looked"))).toBe(true);
      return stdout;
    };
    const examples = join(project, "examples");
    expect(await run("python3", ["client.py"], join(examples, "client-python"))).toContain(
      "says: 6",
    );
    expect(await run("go", ["run", "."], join(examples, "client-go"))).toContain("It says: 6");

    const programs = programsOfGuide(socket);
    expect(programs).toHaveLength(2);
    for (const program of programs) {
      expect(await run(process.execPath, [program], home.root)).toContain("It says: 6");
    }
    const program = join(project, "bin/agent-socket.js");
    const piped = await execa(process.execPath, [program, "attach", socket, "--wait"], {
      input: "thanks\n",
    });
    expect(piped.stdout).toBe("You said: thanks");

    const client = await connectSession(socket, { name: "typed" });
    onTestFinished(() => client.close());
    const { id } = await client.send("look at README.md");
    // An id that was accepted is accepted once, and said so.
    await client.send("look at README.md", { id });
    let view = emptyConversation;
    for await (const item of client.events()) {
      view = fold(view, [item]);
      // The requests of the others come again in the replay; they have been answered.
      const isNew = "seq" in item && item.seq > client.init.last_seq;
      if (isNew && item.type === "approval_request") await client.approve(item.request_id);
      if (item.type === "done" && item.messages.includes(id)) break;
    }
    expect(view.items.filter((item) => item.kind === "message")).toHaveLength(6);
    const calls = view.items.filter((item) => item.kind === "tool");
    expect(calls.map(({ decision }) => decision?.by)).toEqual([
      "python-example",
      expect.stringMatching(/^client-/),
      "my-ui",
      expect.stringMatching(/^client-/),
      "typed",
    ]);
    for (const { result } of calls) expect(result?.is_error).toBe(false);
    await client.shutdown();
    expect((await host.ended).code).toBe(0);
  },
);
