import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { connectSession } from "../../src/client/index.ts";
import type { SessionEvent } from "../../src/wire/session/events.ts";
import { newHome, startAgentSocket, writeScript } from "../support/agent-socket-process.ts";
import { hasNats, startNats } from "../support/nats/start-nats.ts";
import { tempDir } from "../support/temp-dir.ts";

const WORDS = 400;
const said = Array.from({ length: WORDS }, (_, index) => `word${index}`).join(" ");

/** One end in a process of its own, as `join` or the team would be. Resolves when it has met the other end, if it can. */
function startEnd(side: "host" | "team", url: string, path: string): ChildProcess {
  const file = join(import.meta.dirname, "fixtures/tunnel-end.ts");
  const child = spawn(process.execPath, [file, side, url, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

describe.skipIf(!hasNats)("a session behind a tunnel", () => {
  test("loses no event and no word when server, host end and team end are killed in one turn", async () => {
    const nats = await startNats();
    onTestFinished(nats.close);
    const { url } = nats.server;
    const home = newHome();
    const script = writeScript(
      home,
      `name: slow\nrules:\n  - { text: "${said}", delta_delay_ms: 40 }\n`,
    );
    const agent = startAgentSocket(home, ["--cwd", home.cwd, "--rehearsal", script]);
    const { socket } = await agent.ready;
    const path = join(tempDir(), "team.sock");
    let host = startEnd("host", url, socket);
    let team = startEnd("team", url, path);
    await once(team.stdout!, "data");

    const policy = { tries: 200, firstDelayMs: 50, maxDelayMs: 200, factor: 1 };
    const session = await connectSession(path, { since: 0, policy, firstPolicy: policy });
    onTestFinished(() => session.close());
    const events: SessionEvent[] = [];
    const words = { text: "" };
    const done = (async () => {
      for await (const event of session.events()) {
        // A reset would mean that something is missing.
        if (!("seq" in event)) throw new Error(`${event.type} in place of an event`);
        events.push(event);
        if (event.type === "text_delta") words.text += event.text;
        if (event.type === "done") return;
      }
    })();
    await session.send("Tell me a long story.");
    const more = async (): Promise<void> => {
      const before = events.length;
      await vi.waitUntil(() => events.length > before + 20, { timeout: 60_000 });
    };

    await more();
    await kill(host);
    host = startEnd("host", url, socket);
    await more();
    await kill(team);
    team = startEnd("team", url, path);
    await more();
    await nats.server.kill();
    await nats.server.start();
    await more();
    expect(events.some(({ type }) => type === "done")).toBe(false);
    await done;

    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(words.text).toContain(said);
    await agent.end("SIGTERM");
  });
});
