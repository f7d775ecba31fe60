import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { describe, expect, onTestFinished, test } from "vitest";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import { FakeSession } from "../support/fake-session.ts";
import { tempDir } from "../support/temp-dir.ts";

// The example clients as their page calls them, and with what a session seldom does. More of them with a real
// session is in test/e2e.

const examples = resolve(import.meta.dirname, "../../examples");
/** A first build compiles a part of the standard library. */
const GO_BUILD_MS = 300_000;
const GIVE_UP_MS = 60_000;

const done = {
  type: "done",
  usage: { input_tokens: 0, output_tokens: 0 },
  cost_usd: 0,
  duration_ms: 0,
  stop_reason: "completed",
} as const;
const turn_id = "t";
const call = { turn_id, request_id: "toolu_1", tool: "Bash", input: { command: "ls" } };
const scopes = [{ scope: "once", label: "Yes" } as const];

/** A session on which everything happens by itself but the decision about the one call. */
class Stage {
  readonly session = new FakeSession();
  /** The client that came first. */
  #decided = false;
  #message = "";

  constructor(onMessage: (stage: Stage, drop: () => void) => void) {
    const { session } = this;
    session.onCommand = (command, host) => {
      if (command.type === "message" && this.#message === "") {
        this.#message = command.id ?? "";
        onMessage(this, () => host.drop());
      }
      if (command.type !== "approve") return;
      if (this.#decided) {
        const why = { code: "already_resolved", message: "too late", retryable: false, hint: "" };
        host.say({ type: "error", request_id: call.request_id, ...why });
      } else {
        this.decide();
        this.rotate(() => {
          this.ask();
          this.decide();
        });
      }
      this.finish();
    };
  }

  ask(): void {
    const text = { blob: "b1", bytes: 300_000, preview: "look" };
    this.session.happen({ type: "user_message", id: this.#message, text });
    this.session.happen({
      type: "turn_started",
      turn_id,
      messages: [this.#message],
      cause: "message",
    });
    this.session.happen({ type: "text_delta", turn_id, block: 0, text: "I look." });
    this.session.happen({ type: "tool_use", ...call });
    this.session.happen({ type: "approval_request", ...call, scopes });
  }

  decide(): void {
    this.#decided = true;
    const { request_id } = call;
    this.session.happen({ type: "approval_resolved", turn_id, request_id, outcome: "allowed" });
  }

  finish(): void {
    const { request_id } = call;
    this.session.happen({
      type: "tool_result",
      turn_id,
      request_id,
      output: "6",
      is_error: false,
    });
    this.session.happen({ type: "text_delta", turn_id, block: 1, text: "It says: 6" });
    this.session.happen({ ...done, turn_id, messages: [this.#message] });
  }

  /** The log begins a new file, which tells once more what there was. */
  rotate(again: () => void): void {
    const upto = this.session.lastSeq;
    this.session.happen({ type: "snapshot_begin", upto });
    again();
    this.session.happen({ type: "snapshot_end", upto });
  }
}

type CommandLine = [program: string, ...args: string[]];

interface RunOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  readonly timeout?: number;
}

const run = ([program, ...args]: CommandLine, options: RunOptions) => execa(program, args, options);

async function buildGoClient(): Promise<CommandLine> {
  const program = join(tempDir(), "client");
  const env = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" };
  await run(["go", "build", "-o", program, "."], { cwd: join(examples, "client-go"), env });
  return [program];
}

const clients: [name: string, commandOf: () => Promise<CommandLine>][] = [
  ["Python", async () => ["python3", join(examples, "client-python/client.py")]],
  // Not `go run`: when that is killed, it leaves the client behind.
  ["Go", buildGoClient],
];

const times = (text: string, part: string): number => text.split(part).length - 1;

describe.each(clients)("the client in %s", { timeout: GO_BUILD_MS }, (_, commandOf) => {
  /** Rejects when the client fails or does not come to an end. */
  const talk = async (path: string) =>
    run([...(await commandOf()), path, "look"], { timeout: GIVE_UP_MS });

  test("[SES-15] [SES-50] passes over a snapshot, another's turn, and a large text", async () => {
    const stage = new Stage(({ session }) => {
      session.happen({ ...done, turn_id: "another", messages: ["another"] });
      stage.ask();
    });
    await stage.session.start();
    const { stdout, stderr } = await talk(stage.session.path);
    expect(stdout).toContain("It says: 6");
    expect(times(stdout, "I look.")).toBe(1);
    expect(stderr).not.toContain("not understood");
  });

  test("[SES-12] after a reset takes what it missed from the snapshot", async () => {
    const stage = new Stage(({ session }, drop) => {
      drop();
      session.log.length = 0;
      session.forgotten = 100;
      stage.rotate(() => {
        session.happen({ ...done, turn_id: "another", messages: ["another"] });
        stage.ask();
        stage.decide();
      });
    });
    await stage.session.start();
    expect((await talk(stage.session.path)).stdout).toContain("It says: 6");
  });

  test("a line that it cannot read does not count as a lost connection", async () => {
    const stage = new Stage(() => stage.ask());
    await stage.session.start();
    let connections = 0;
    const path = join(tempDir(), "noisy.sock");
    const noisy = createServer((client) => {
      connections += 1;
      const session = createConnection(stage.session.path);
      session.on("error", () => {});
      client.on("error", () => {});
      session.pipe(client).pipe(session);
      session.once("data", () => client.write("no JSON\n"));
    });
    onTestFinished(() => void noisy.close());
    await new Promise<void>((listening) => noisy.listen(path, listening));
    const { stdout, stderr } = await talk(path);
    expect(stdout).toContain("It says: 6");
    expect(times(stderr, "not understood")).toBe(2);
    // The second is that which it breaks for show.
    expect(connections).toBe(2);
  });
});

test(
  "the commands of docs/client.md work as they are printed",
  { timeout: GO_BUILD_MS },
  async () => {
    const home = newHome();
    const path = join(home.root, "my.sock");
    const page = readFileSync(join(examples, "../docs/client.md"), "utf8").replaceAll(
      "/tmp/my.sock",
      path,
    );
    const [, flags = ""] = /^agent-socket (--cwd \. --socket .*)$/m.exec(page) ?? [];
    // Where the session works, and where the page is read.
    symlinkSync(examples, join(home.root, "examples"));
    const host = startAgentSocket(home, flags.split(" "));
    await host.ready;
    const commands = page.split("\n").filter((line) => line.includes(`${path} "write a note"`));
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const env = { GOTOOLCHAIN: "local", GOFLAGS: "-mod=mod" };
      const { stdout } = await run(["sh", "-c", command], { cwd: home.root, env });
      expect(stdout).toContain("It stands in note.txt.");
      expect(existsSync(join(home.root, "note.txt"))).toBe(true);
      rmSync(join(home.root, "note.txt"));
    }
    // Nothing asks here, and that is no failure either.
    const looking = [
      "python3",
      "examples/client-python/client.py",
      path,
      "look at script.md",
    ] as const;
    expect((await run([...looking], { cwd: home.root })).stdout).toContain("That did not work");
  },
);
