import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RehearsalClient } from "../../../src/rehearsal/rehearsal-client.ts";
import type { JournalEvent, JournalRequest } from "../../../src/rehearsal/journal.ts";
import { journalLine } from "../../../src/rehearsal/journal.ts";
import { ModelWatch } from "./model-watch.ts";

const at = "2026-11-15T12:00:00.000Z";
const request = (id: number): JournalRequest => ({
  id,
  at,
  kind: "main",
  method: "POST",
  path: "/v1/messages",
  agent: "coder",
  session_id: null,
  subagent_id: null,
  turn: 1,
  user: null,
  new_user_texts: [],
  new_peer_texts: [],
  new_tool_results: [],
  system: "",
  tools: [],
  headers: {},
  body: null,
});
const asked = (n: number): JournalEvent => ({
  n,
  at,
  run: "one",
  type: "request",
  request: request(n),
});
const idsOf = (watch: ModelWatch): number[] => watch.told.map(({ id }) => id);

/** A rehearsal that lets its reader go after so many events, in the middle of the next line. */
async function cutting(
  journal: readonly JournalEvent[],
  { after, events = journal.length }: { after: number; events?: number },
): Promise<ModelWatch> {
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? "", "http://localhost");
    if (!url.pathname.endsWith("/events")) {
      response.end(JSON.stringify({ rehearsal: true, run: "one", events }));
      return;
    }
    const left = journal.filter(({ n }) => n > Number(url.searchParams.get("since")));
    for (const event of left.slice(0, after)) response.write(journalLine(event));
    const [next] = left.slice(after);
    if (next) response.write(journalLine(next).subarray(0, 20), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const watch = new ModelWatch(new RehearsalClient(`http://127.0.0.1:${port}`));
  onTestFinished(() => watch.close());
  return watch;
}

test("ModelWatch reads a journal on from where it was cut, and gives no verdict before that", async () => {
  const watch = await cutting([1, 2, 3, 4, 5].map(asked), { after: 2 });
  await watch.caughtUp();
  expect(idsOf(watch)).toEqual([1, 2, 3, 4, 5]);
  expect(watch.told[0]?.atMs).toBe(Date.parse(at));
});

test("a journal that cannot be read to its end, or lacks something, is no empty one", async () => {
  const short = await cutting([1, 2].map(asked), { after: 2, events: 3 });
  await expect(short.caughtUp(200)).rejects.toThrow("Only 2 of the rehearsal's 3 events");
  const gap = await cutting([1, 3].map(asked), { after: 2, events: 3 });
  await expect(gap.caughtUp()).rejects.toThrow("3 of one after 1 of one");
  const changed = await cutting([asked(1), { ...asked(2), run: "two" }], { after: 2 });
  await expect(changed.caughtUp()).rejects.toThrow("2 of two after 1 of one");
});
