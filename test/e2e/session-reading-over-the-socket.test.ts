import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOf, KilledSession } from "../support/killed-session.ts";
import type { Home } from "../support/agent-socket-process.ts";
import type { Line } from "../support/session-line-client.ts";
import { SessionLineClient } from "../support/session-line-client.ts";

const withinMs = 60_000;
const TEXT = "one\ntwo\nthree\n";
const needle = "the needle lies in many pieces";

const notes = ({ cwd }: Home): string => join(cwd, "notes.txt");
const script = (home: Home): string => `
rules:
  - when: { tool_result: { name: "/./", text: "/./" } }
    text: "I have seen it."
  - when: { user: "look" }
    tools: [{ name: Read, input: { file_path: "${notes(home)}" } }]
  - when: { user: "edit" }
    tools: [{ name: Edit, input: { file_path: "${notes(home)}", old_string: "two", new_string: "zwei" } }]
  - when: { user: "tell" }
    text: "In this text ${needle}."
    delta_chars: 4
  - when: { user: "long" }
    text: "Once ${"and there ".repeat(400)}"
    delta_chars: 8
    delta_delay_ms: 20
default: { text: "I am here." }
`;

test(
  "[SES-6] [SES-70] [SES-71] [SES-72] [SES-73] what a call would change, what stands in the log, and its joined texts are told over the socket, also to who only reads and after the death of CLI and host",
  { timeout: 180_000 },
  async () => {
    const stage = new KilledSession(script, "--approval-timeout-ms", "120000");
    const path = notes(stage.home);
    writeFileSync(path, TEXT);
    const ann = await stage.client("ann");
    const bob = await stage.client("bob");
    const watcher = new SessionLineClient(stage.observe);
    await watcher.until("init");
    await stage.ask(ann, "look");
    await stage.ask(ann, "tell me");

    // What is wrong is named, and nothing comes of it.
    const { last_seq: lastSeq } = await ann.ask({ type: "status" });
    const wrongLimits = [0, -1, 1.5, 1001, "5", null].map((limit) => ({ limit }));
    const wrongPlaces = [-1, 1.5, "5", null].map((before) => ({ before }));
    for (const [type, all] of [
      ["search", ["", "x".repeat(201), 5, null].map((text) => ({ text }))],
      ["search", [...wrongLimits, ...wrongPlaces].map((each) => ({ text: "needle", ...each }))],
      ["history", [...wrongLimits, ...wrongPlaces, { whole: "yes" }, { whole: 1 }]],
    ] as const) {
      for (const fields of all) {
        const { code } = await bob.ask({ type, ...fields });
        expect([type, fields, code]).toEqual([type, fields, "invalid_params"]);
      }
    }
    const nothing = { seqs: [], more: false };
    for (const pattern of [".*", "n.edle", "(", "\\", "$&", "nothing like it"]) {
      expect(await search(bob, pattern)).toEqual(nothing);
    }
    const found = await search(bob, needle.toUpperCase());
    expect(found.seqs).toHaveLength(1);
    expect(await search(watcher, needle)).toEqual(found);
    expect(await search(bob, needle, { before: found.seqs[0] })).toEqual(nothing);
    expect(await search(bob, needle, { before: Number.MAX_SAFE_INTEGER })).toEqual(found);

    const [plain, whole] = [await readAll(bob, false), await readAll(watcher, true)];
    expect(plain.map(({ seq }) => seq)).toEqual(plain.map((_, index) => index + 1));
    expect(whole.length).toBeLessThan(plain.length - 5);
    expect(textsIn(whole)).toEqual(textsIn(plain));
    expect(Object.values(textsIn(whole))).toContain(`In this text ${needle}.`);
    expect(await bob.ask({ type: "history", before: 1 })).toMatchObject({
      events: [],
      more: false,
    });

    // The change that is asked for, for everybody.
    const edit = stage.say(ann, "edit it");
    const asked: Line = await ann.until("approval_request", { withinMs });
    const at = (start: number): object => ({
      path,
      kind: "edit",
      hunks: [{ old_start: start, lines: expect.arrayContaining(["-two", "+zwei"]) }],
    });
    expect(asked["changes"]).toMatchObject([at(1)]);
    const late = new SessionLineClient(stage.observe);
    expect(await late.until("init")).toMatchObject({ pending: [{ changes: asked["changes"] }] });
    for (const client of [bob, watcher]) {
      const { pending } = await client.ask({ type: "status" });
      expect(pending).toMatchObject([{ changes: asked["changes"] }]);
    }
    const { last_seq: openSeq } = await ann.ask({ type: "status" });
    expect(Number(openSeq)).toBeGreaterThan(Number(lastSeq));
    for (const [client, id, code] of [
      [bob, "nothing", "unknown_request"],
      [watcher, asked["request_id"], "read_only"],
    ] as const) {
      const approve = { type: "approve", request_id: id, updated_input: { file_path: path } };
      expect(await client.ask(approve)).toMatchObject({ code });
    }
    expect(readFileSync(path, "utf8")).toBe(TEXT);

    /** The request after this event. */
    const again = (client: SessionLineClient, seq: unknown): Promise<Line> =>
      client.until("approval_request", {
        withinMs,
        fits: (line: Line) => Number(line.seq) > Number(seq),
      });
    // Others change the file meanwhile: who is asked again sees it as it is.
    writeFileSync(path, `${"above\n".repeat(10)}${TEXT}`);
    await stage.killCli(ann);
    const second: Line = await again(ann, asked.seq);
    expect(second["changes"]).toMatchObject([at(9)]);
    writeFileSync(path, `${"above\n".repeat(20)}${TEXT}`);
    await stage.killHost();
    const cleo = await stage.client("cleo");
    const third: Line = await again(cleo, second.seq);
    expect(third["changes"]).toMatchObject([at(19)]);
    const dora = await stage.client("dora");
    const answers = await Promise.all(
      [cleo, dora].map((client) =>
        client.ask({ type: "approve", request_id: third["request_id"] }),
      ),
    );
    expect(new Set(answers.map(({ code, type }) => code ?? type))).toEqual(
      new Set(["already_resolved", "ok"]),
    );
    expect(await endOf(cleo, edit)).toMatchObject({ stop_reason: "completed" });
    const result = cleo.events.findLast(({ type }) => type === "tool_result");
    expect(result).toMatchObject({
      request_id: third["request_id"],
      is_error: false,
      changes: third["changes"],
    });
    expect(readFileSync(path, "utf8")).toBe(`${"above\n".repeat(20)}one\nzwei\nthree\n`);

    // What was found and read before, is; a text that a kill has cut is found as far as it came.
    expect(await search(cleo, needle)).toEqual(found);
    expect((await readAll(cleo, true)).slice(0, whole.length)).toEqual(whole);
    stage.say(cleo, "long");
    await expect
      .poll(() => Object.values(textsIn(cleo.events)).some(isLong), { timeout: withinMs })
      .toBe(true);
    await stage.killHost();
    const emil = await stage.client("emil");
    expect((await search(emil, "Once and there")).seqs).toHaveLength(1);
    const [cut, joined] = [await readAll(emil, false), await readAll(emil, true)];
    expect(textsIn(joined)).toEqual(textsIn(cut));
    await stage.host.end("SIGTERM");
  },
);

/** The hits of a search, and whether there are older ones. */
async function search(client: SessionLineClient, text: string, place: object = {}) {
  const { hits, more } = await client.ask({ type: "search", text, ...place });
  return { seqs: (hits as Line[]).map(({ seq }) => seq), more };
}

/** All events, in pages of a few. */
async function readAll(client: SessionLineClient, whole: boolean): Promise<Line[]> {
  const all: Line[] = [];
  let more = true;
  while (more) {
    const before = all.at(0)?.seq;
    const page = await client.ask({ type: "history", limit: 7, whole, before });
    all.unshift(...(page["events"] as Line[]));
    more = page["more"] as boolean;
  }
  return all;
}

/** The texts of the model by their turns and blocks. */
function textsIn(events: readonly Line[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const { type, turn_id: turn, block, text } of events) {
    if (type !== "text_delta") continue;
    const place = `${String(turn)} ${String(block)}`;
    texts[place] = `${texts[place] ?? ""}${String(text)}`;
  }
  return texts;
}

const isLong = (text: string): boolean => text.startsWith("Once and there and there");
