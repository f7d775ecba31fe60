import type * as nodeFs from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { loggedSession } from "../../../test/support/logged-session.ts";
import { SessionLineClient } from "../../../test/support/session-line-client.ts";
import { createLogger } from "../../log/logger.ts";
import { serveSession } from "./serve-session.ts";

// The first sync takes as long as the test wants.

type Done = (error: Error | null) => void;
const first = vi.hoisted(() => Promise.withResolvers<Done>());

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof nodeFs>();
  let count = 0;
  return {
    ...fs,
    fdatasync: (fd: number, done: Done) => {
      count += 1;
      if (count > 1) fs.fdatasync(fd, done);
      else first.resolve(done);
    },
  };
});

test("[SES-10] attach at init's seq misses and repeats nothing while the newest event is being synced", async () => {
  const session = loggedSession();
  const server = await serveSession(session, {
    about: { version: "1.2.3", rehearsal: false },
    logger: createLogger({ name: "test" }),
    onEnd: () => {},
  });
  onTestFinished(() => server.close());
  session.say("before");
  session.log.append({ type: "user_message", id: "m1", text: "hi" });
  const client = new SessionLineClient(server.path);
  const { last_seq: since } = await client.until("init");
  const endSync = await first.promise;
  expect([since, session.log.publishedSeq]).toEqual([2, 0]);

  client.send({ type: "attach", since });
  expect(await client.until("attached")).toMatchObject({ since, reset: false });
  endSync(null);
  const next = session.say("after");
  await client.until("text_delta", { fits: ({ seq }) => seq === next });
  expect(client.seqs).toEqual([3]);
});
