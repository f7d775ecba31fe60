import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Conversation, ConversationItem } from "../../src/client/index.ts";
import { connectSession, emptyConversation, fold } from "../../src/client/index.ts";
import { LogIndex } from "../../src/session/files/log-index.ts";
import { openLog } from "../../src/session/log/open-log.ts";
import type { SessionEvent } from "../../src/wire/session/events.ts";
import { newHome, startAgentSocket } from "../support/agent-socket-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const flow = resolve(import.meta.dirname, "../fixtures/session/v1/allowed.jsonl");

const eventsOf = (file: string): SessionEvent[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as SessionEvent);

/** What a person sees; when things happened and their numbers are those of the replay. */
const seen = ({ items }: Conversation): unknown =>
  JSON.parse(
    JSON.stringify(items, (key, value: unknown) =>
      key === "seq" || key === "at" ? undefined : value,
    ),
  );

async function replayed(
  log: string,
  home = newHome(),
): Promise<{ view: Conversation; payload: string | undefined }> {
  const host = startAgentSocket(home, ["replay", log, "--speed", "1000"]);
  const client = await connectSession((await host.ready).socket);
  onTestFinished(() => client.close());
  let view = emptyConversation;
  for await (const item of client.events()) {
    view = fold(view, [item]);
    // What a snapshot repeats was told already.
    expect(item.type).not.toBe("snapshot_begin");
    if (item.type === "done") break;
  }
  await expect(client.send("is anybody there?")).rejects.toMatchObject({
    code: "read_only",
    hint: expect.stringContaining("--resume"),
  });
  const payload = view.items.flatMap((item) => blobIn(item))[0];
  const bytes = payload === undefined ? undefined : await client.blob(payload);
  await client.shutdown();
  expect((await host.ended).code).toBe(0);
  return { view, payload: bytes && new TextDecoder().decode(bytes) };
}

const blobIn = (item: ConversationItem): string[] =>
  item.kind === "tool" && item.result && typeof item.result.output === "object"
    ? [item.result.output.blob]
    : [];

test("replay prints a file of events as if it were live", async () => {
  const { view } = await replayed(flow);
  expect(seen(view)).toEqual(seen(fold(emptyConversation, eventsOf(flow))));
});

test("replay finds a log by the beginning of its session's id", async () => {
  const home = newHome();
  const index = new LogIndex(join(home.root, "state/switchboard"));
  const directory = index.create();
  writeFileSync(join(directory, "events.jsonl"), readFileSync(flow));
  const session = randomUUID();
  index.assign(session, directory);
  const { view } = await replayed(session.slice(0, 8), home);
  expect(seen(view)).toEqual(seen(fold(emptyConversation, eventsOf(flow))));
});

test("replay prints a log's directory with older segments and large payloads, and changes nothing", async () => {
  const directory = tempDir();
  const log = openLog(directory, { maxSegmentBytes: 2_000 });
  const words = "x".repeat(300_000);
  for (const event of eventsOf(flow)) {
    const { seq: _, ...rest } = event;
    if (rest.type === "tool_result") rest.output = words;
    log.append(rest);
    await log.durable();
  }
  await log.close();
  const file = join(directory, "events.jsonl");
  const before = readFileSync(file);
  expect(readdirSync(directory).some((name) => /^events-\d+\.jsonl$/.test(name))).toBe(true);
  const { view, payload } = await replayed(directory);
  expect(view.items.map(({ kind }) => kind)).toEqual(["message", "text", "tool", "text"]);
  expect(payload).toBe(words);
  expect(readFileSync(file)).toEqual(before);
});

test("replay refuses a file that is not a recording, and names the line", async () => {
  const file = join(tempDir(), "bad.jsonl");
  writeFileSync(file, `${readFileSync(flow, "utf8")}{"type":"no event"}\n`);
  const { code, stderr } = await startAgentSocket(newHome(), ["replay", file]).ended;
  expect(stderr).toContain(`${file}, line 10: `);
  expect(code).not.toBe(0);
});

test.each([
  ["a path where nothing is", () => join(tempDir(), "nothing"), /nothing[^]*Name the directory/],
  ["a directory that is no log", () => tempDir(), /no session log in the directory[^]*socket list/],
])("replay refuses %s, and says what to name instead", async (_, path, words) => {
  const { code, stderr } = await startAgentSocket(newHome(), ["replay", path()]).ended;
  expect(stderr).toMatch(words);
  expect(code).toBe(64);
});
