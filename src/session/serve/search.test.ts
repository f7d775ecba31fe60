import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loggedSession } from "../../../test/support/logged-session.ts";
import { connectLines, serveLogged } from "../../../test/support/serve-logged-session.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { connectSession } from "../../client/connect-session.ts";
import { createLogger } from "../../log/logger.ts";
import { serveSession } from "./serve-session.ts";

test("[SES-72] search is answered with found, page by page, and refuses an empty text", async () => {
  const session = loggedSession();
  const path = await serveLogged(session);
  for (const text of ["a nee", "dle and a NEE", "DLE"]) session.say(text);
  await session.log.durable();
  const client = await connectLines(path);
  client.send({ type: "search", text: "needle", limit: 1, ref: "a" });
  expect(await client.until("found")).toEqual({
    type: "found",
    ref: "a",
    hits: [{ seq: 2, type: "text_delta", turn_id: "t1", preview: "a needle and a NEEDLE" }],
    more: true,
    before: 2,
  });
  const since = client.told.length;
  client.send({ type: "search", text: "needle", before: 2, ref: "b" });
  expect(await client.until("found", { since })).toMatchObject({ hits: [{ seq: 1 }], more: false });
  client.send({ type: "search", text: "", ref: "c" });
  expect(await client.until("error")).toMatchObject({ code: "invalid_params", ref: "c" });
});

test("[SES-6] [SES-72] [SES-73] an observer may search, and fetch whole history, with the client library too", async () => {
  const session = loggedSession();
  const server = await serveSession(session, {
    about: { version: "1.2.3", rehearsal: false },
    logger: createLogger({ name: "test" }),
    observePath: join(tempDir(), "observe.sock"),
    onEnd: () => {},
  });
  onTestFinished(() => server.close());
  for (const text of ["one ", "two ", "three"]) session.say(text);
  await session.log.durable();
  await using client = await connectSession(server.observePath ?? "", { since: "latest" });
  expect(await client.search("two three", { limit: 5 })).toMatchObject({ hits: [{ seq: 2 }] });
  expect(await client.history({ whole: true })).toMatchObject({
    events: [{ seq: 1, text: "one two three" }],
    more: false,
  });
  expect(await client.history({})).toMatchObject({ events: { length: 3 } });
});
