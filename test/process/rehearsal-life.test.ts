import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { readJournalFile } from "../../src/rehearsal/read-journal.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startRehearsalProcess } from "./rehearsal-process.ts";

const project = resolve(import.meta.dirname, "../..");

function say(url: string, content: string): Promise<string> {
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content }] });
  return fetch(`${url}/v1/messages`, { method: "POST", body }).then((answer) => answer.text());
}

function start(...args: string[]) {
  const child = spawn(process.execPath, ["bin/switchboard.js", "rehearse", ...args], {
    cwd: project,
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  return { child, printed: () => printed };
}

describe("a rehearsal of its own process", () => {
  it("ends at once on SIGTERM, whatever is open", async () => {
    const { url, client, ...rehearsal } = await startRehearsalProcess(
      "default: { text: a, fault: { kind: stall } }",
    );
    const open = say(url, "hi").catch(() => "gone");
    await client.waitForEvent(({ type }) => type === "first_delta", 10_000);
    const begin = performance.now();
    expect(await rehearsal.stop("SIGTERM")).toBe(0);
    expect(performance.now() - begin).toBeLessThan(5000);
    expect(await open).toBe("gone");
  });

  it("comes back on its port after kill -9, and its journal tells of both lives", async () => {
    const directory = tempDir();
    const script = "default: { text: a, delta_chars: 1, delay_ms: 20 }";
    const first = await startRehearsalProcess(script, { directory });
    await say(first.url, "before");
    const open = say(first.url, "during").catch(() => "gone");
    await first.client.waitForRequest(({ user }) => user === "during", 10_000);
    await first.stop("SIGKILL");
    await open;
    const port = Number(new URL(first.url).port);
    const second = await startRehearsalProcess(script, { directory, port });
    expect(second.url).toBe(first.url);
    await say(second.url, "after");
    // Its end is written down when all of it is out.
    await second.client.waitForEvent(({ type }) => type === "finished", 10_000);
    const entries = await readJournalFile(second.journalFile);
    expect(entries.map(({ user }) => user)).toEqual(["before", "during", "after"]);
    expect(entries[0]?.outcome?.result).toBe("answered");
    expect(entries[2]?.outcome?.result).toBe("answered");
  });

  it("ends by itself after its linger time without a request, and not before", async () => {
    const flags = ["--linger-ms", "1500"];
    const script = "default: { text: a, delay_ms: 2500 }";
    const { url, child } = await startRehearsalProcess(script, { flags });
    const exited = once(child, "exit");
    // One that takes longer than the linger time is open, so a client is there.
    expect(await say(url, "hi")).toContain("message_stop");
    expect(await exited).toEqual([0, null]);
  });

  it("says in JSON what is wrong with its script, and ends", () => {
    const script = join(tempDir(), "wrong.yaml");
    writeFileSync(script, "rules:\n  - tex: a\n");
    const main = join(project, "dist/rehearsal/main.js");
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, script]);
    expect(JSON.parse(stderr.toString())).toMatchObject({
      code: "script_invalid",
      message: expect.stringContaining(`${script}:2:5: `) as string,
    });
    expect([status, stdout.toString()]).toEqual([65, ""]);
  });
});

describe("switchboard rehearse", () => {
  it("prints the environment to use, then a line per request", async () => {
    const script = join(tempDir(), "script.yaml");
    writeFileSync(script, "rules: [{ when: { user: hi }, text: a }]");
    const { child, printed } = start(script);
    await expect.poll(printed, { timeout: 10_000 }).toContain("Ctrl+C");
    const url = /export ANTHROPIC_BASE_URL=(\S+)/.exec(printed())?.[1] ?? "";
    expect(printed()).toContain("export ANTHROPIC_API_KEY=rehearsal\n");
    await say(`${url}/agents/boss`, "hi");
    await say(`${url}/agents/boss`, "nothing for me?");
    await say(`${url}/agents/boss`, "nothing for me?");
    await expect.poll(printed).toContain("#3");
    const lines = printed().split("\n").slice(-12);
    expect(lines.join("\n")).toMatch(
      /^\S+ #1 boss: "hi" → answered by rule 1\n\S+ #2 boss: "nothing for me\?" → no rule\n/m,
    );
    expect(printed().match(/no_rule_matched/g)).toHaveLength(1);
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("prints JSON Lines for programs", async () => {
    const script = join(tempDir(), "script.yaml");
    writeFileSync(script, "default: { text: a }");
    const { child, printed } = start(script, "--json");
    await expect.poll(printed, { timeout: 10_000 }).toContain("\n");
    const { url, environment } = JSON.parse(printed()) as {
      url: string;
      environment: Record<string, string>;
    };
    expect(environment["ANTHROPIC_BASE_URL"]).toBe(url);
    await say(url, "hi");
    await expect.poll(printed).toContain('"finished"');
    const types = printed()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(["ready", "request", "first_delta", "finished"]);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
