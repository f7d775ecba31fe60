import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { LoggedSession } from "../../../test/support/logged-session.ts";
import { loggedSession } from "../../../test/support/logged-session.ts";
import type { Line } from "../../../test/support/session-line-client.ts";
import { SessionLineClient } from "../../../test/support/session-line-client.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createLogger } from "../../log/logger.ts";
import { serveSession } from "./serve-session.ts";

async function serve(session: LoggedSession) {
  const server = await serveSession(session, {
    about: { version: "1.2.3", rehearsal: false },
    logger: createLogger({ name: "test" }),
    onEnd: () => {},
  });
  onTestFinished(() => server.close());
  return server;
}

/** A client that does what [SES-10] says, word for word. */
class LiteralClient {
  /** The last event that was dealt with, and the log and epoch under which it came. */
  place = { since: 0 } as { since: number; log_id?: string; epoch?: number };
  events: Line[] = [];

  /** Reads until the given event. */
  async follow(path: string, upTo: number): Promise<Line> {
    const connection = new SessionLineClient(path);
    await connection.until("init");
    connection.send({ type: "attach", ...this.place });
    const attached = await connection.until("attached");
    const from = connection.told.indexOf(attached) + 1;
    if (attached["reset"] === true) this.events = [];
    const { log_id, epoch, since } = attached as unknown as Required<typeof this.place>;
    this.place = { since, log_id, epoch };
    await connection.until("text_delta", { fits: ({ seq }) => seq === upTo });
    for (const event of connection.told.slice(from)) {
      if (event.seq === undefined || event.seq <= this.place.since) continue;
      this.events.push(event);
      this.place.since = event.seq;
    }
    connection.socket.destroy();
    return attached;
  }
}

test("[SES-10] attach with the epoch of the last `attached` misses nothing when the log has lost events", async () => {
  const directory = tempDir();
  const before = loggedSession({ directory });
  for (let n = 1; n <= 49; n++) before.say(`before ${n}`);
  const first = await serve(before);
  const client = new LiteralClient();
  await client.follow(first.path, 49);
  expect(client.events).toHaveLength(49);
  await first.close();
  await before.log.close();

  // As a loss of power leaves it: the last twenty events were never written.
  const file = join(directory, "events.jsonl");
  const lines = readFileSync(file, "utf8").split("\n").slice(0, 29);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
  rmSync(join(directory, "checkpoint.json"), { force: true });
  const after = loggedSession({ directory });
  for (let n = 30; n <= 60; n++) after.say(`after ${n}`);
  const second = await serve(after);
  expect(await client.follow(second.path, 60)).toMatchObject({ reset: true });
  const inLog = readFileSync(file, "utf8").split("\n").filter(Boolean);
  expect(client.events.map((event) => JSON.stringify(event))).toEqual(inLog);

  // A reconnect within the epoch goes on where it was.
  after.say("after 61");
  expect(await client.follow(second.path, 61)).toMatchObject({ reset: false, since: 60 });
});
