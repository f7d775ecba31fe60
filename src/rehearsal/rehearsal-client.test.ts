import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { RehearsalClient } from "./rehearsal-client.ts";
import { readJournalFile } from "./read-journal.ts";
import type { RehearsalOptions } from "./start-rehearsal.ts";
import { startRehearsal } from "./start-rehearsal.ts";

async function rehearse(options: RehearsalOptions) {
  const rehearsal = await startRehearsal(options);
  onTestFinished(() => rehearsal.close());
  return { rehearsal, client: new RehearsalClient(rehearsal.url) };
}

function say(url: string, content: string, more: object = {}): Promise<Response> {
  return fetch(`${url}/agents/boss/v1/messages?beta=true`, {
    method: "POST",
    headers: {
      "x-api-key": "sk-secret",
      authorization: "Bearer secret",
      "x-claude-code-session-id": "s-1",
    },
    body: JSON.stringify({
      model: "m",
      stream: true,
      system: "You are the boss.",
      tools: [{ name: "Bash", description: "Runs." }],
      messages: [{ role: "user", content }],
      ...more,
    }),
  });
}

describe("the journal", () => {
  it("holds requests and their outcome, and no secrets", async () => {
    const { rehearsal, client } = await rehearse({ script: { default: { text: "hello" } } });
    await (await say(rehearsal.url, "hi\u2028there")).text();
    const entries = await client.journal();
    expect(entries).toEqual(rehearsal.journal.entries);
    expect(entries).toMatchObject([
      {
        id: 1,
        kind: "main",
        method: "POST",
        path: "/agents/boss/v1/messages?beta=true",
        agent: "boss",
        session_id: "s-1",
        subagent_id: null,
        turn: 1,
        user: "hi\u2028there",
        new_user_texts: ["hi\u2028there"],
        system: "You are the boss.",
        tools: ["Bash"],
        body: { tools: [{ name: "Bash", description: "Runs." }] },
        outcome: { result: "answered", rule: "default", status: 200, tool_use_ids: [] },
      },
    ]);
    expect(JSON.stringify(entries)).not.toContain("secret");
    await (await say(rehearsal.url, "again")).text();
    expect((await client.journal(1)).map(({ user, turn }) => [user, turn])).toEqual([["again", 2]]);
  });

  it("outlives its process in a file, run after run", async () => {
    const journalFile = join(tempDir(), "journal.jsonl");
    for (const text of ["one", "two\u2029end"]) {
      const { rehearsal } = await rehearse({ script: { default: { text: "ok" } }, journalFile });
      await (await say(rehearsal.url, text)).text();
      await rehearsal.close();
    }
    expect(await readJournalFile(journalFile)).toMatchObject([
      { id: 1, user: "one", outcome: { result: "answered" } },
      { id: 1, user: "two\u2029end", outcome: { result: "answered" } },
    ]);
    expect((await readFile(journalFile, "utf8")).split("\n")).toHaveLength(2 * 4 + 1);
  });

  it("forgets the oldest requests of a long run, but no failure", async () => {
    const { rehearsal } = await rehearse({
      script: { rules: [{ when: { user: "hi" }, text: "ok" }] },
    });
    await say(rehearsal.url, "nope");
    const { journal } = rehearsal;
    const { id: _id, at: _at, outcome: _outcome, ...request } = journal.entries[0]!;
    for (let count = 0; count < 5000; count += 1) {
      journal.close(journal.open({ ...request, body: null }), { result: "answered" });
    }
    expect(journal.entries.length).toBeLessThanOrEqual(2001);
    expect(journal.entries.at(-1)?.id).toBe(5001);
    expect(journal.failures.map(({ id }) => id)).toEqual([1]);
    expect(journal.events.length).toBeLessThan(3 * 2001);
    expect(journal.events.at(-1)?.n).toBe(1 + 2 + 2 * 5000);
  });
});

describe("events", () => {
  it("report arrival, first delta and end, the past first", async () => {
    const { rehearsal, client } = await rehearse({ script: { default: { text: "hello" } } });
    await (await say(rehearsal.url, "one")).text();
    const seen: string[] = [];
    const leave = new AbortController();
    for await (const event of client.events({ signal: leave.signal })) {
      seen.push(event.type);
      if (event.n === 4) void say(rehearsal.url, "two").then((answer) => answer.text());
      if (event.n === 7) break;
    }
    const request = ["request", "first_delta", "finished"];
    expect(seen).toEqual(["started", ...request, ...request]);
  });

  it("can be awaited, also when they are past, and with a limit", async () => {
    const { rehearsal, client } = await rehearse({
      script: { default: { text: "hello", delay_ms: 50 } },
    });
    const arrived = client.waitForRequest(({ user }) => user === "b", 5000);
    const [first] = await Promise.all([say(rehearsal.url, "a"), say(rehearsal.url, "b")]);
    expect(await arrived).toMatchObject({ user: "b", agent: "boss" });
    const past = await client.waitForRequest(({ user }) => user === "a", 5000);
    expect(past.user).toBe("a");
    await first.text();
    await expect(client.waitForRequest(({ user }) => user === "c", 100)).rejects.toMatchObject({
      code: "timeout",
    });
    const { events } = await client.status();
    await expect(client.waitForEvent(() => true, 100, events)).rejects.toMatchObject({
      code: "timeout",
    });
  });

  it("end with the rehearsal", async () => {
    const { rehearsal, client } = await rehearse({ script: {} });
    const waiting = client.waitForEvent(({ type }) => type === "finished", 5000).catch(String);
    await client.waitForEvent(({ type }) => type === "started", 5000);
    await rehearsal.close();
    expect(await waiting).toMatch(/ended while an event was awaited|terminated/);
  });
});

describe("the script of a running rehearsal", () => {
  it("can be changed, and begins from its beginning", async () => {
    const { rehearsal, client } = await rehearse({
      script: { name: "old", default: { text: "old" } },
    });
    await (await say(rehearsal.url, "hi")).text();
    await client.setScript("name: new\nrules:\n  - { when: { turn: 1 }, text: 'new ${turn}' }\n");
    expect(await (await say(rehearsal.url, "hi", { stream: false })).json()).toMatchObject({
      content: [{ text: "new 1" }],
    });
    expect(await client.status()).toMatchObject({ script: "new", failures: 0, pid: process.pid });
  });

  it("stays when the new one is wrong", async () => {
    const { client } = await rehearse({ script: { name: "old" } });
    await expect(client.setScript("rules:\n  - tex: a\n")).rejects.toMatchObject({
      code: "script_invalid",
      message: expect.stringMatching(/^script:2:5: /) as string,
      data: { issues: [{ line: 2, column: 5 }] },
    });
    expect((await client.status()).script).toBe("old");
  });

  it("cannot be reached in any other way", async () => {
    const { rehearsal } = await rehearse({ script: {} });
    const answer = await fetch(`${rehearsal.url}/rehearsal/nonsense`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "method_not_found" } });
  });
});
