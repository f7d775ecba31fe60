import { expect, onTestFinished, test } from "vitest";
import { loggedSession } from "../../../test/support/logged-session.ts";
import { SessionLineClient } from "../../../test/support/session-line-client.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createLogger } from "../../log/logger.ts";
import { parseSessionMessage } from "../../wire/session/answers.ts";
import { serveSession } from "./serve-session.ts";

async function serve() {
  const server = await serveSession(loggedSession(), {
    about: { version: "1.2.3", rehearsal: false },
    observePath: `${tempDir()}/observe.sock`,
    onEnd: () => {},
    logger: createLogger({ name: "test" }),
  });
  onTestFinished(() => server.close());
  const { path, observePath = "" } = server;
  return { path, observePath };
}

async function connect(path: string): Promise<SessionLineClient> {
  const client = new SessionLineClient(path);
  await client.until("init");
  return client;
}

test("[SES-59] init and status list the connected clients, and each client learns who comes, goes or takes a name", async () => {
  const { path, observePath } = await serve();
  const first = await connect(path);
  const ann = { client: "ann", read_only: false };
  first.send({ type: "attach", since: 0, client: "ann" });
  await first.until("attached");
  const watcher = await connect(observePath);
  const second = { client: "client-2", read_only: true };
  expect(watcher.told[0]).toMatchObject({ clients: [ann, second] });
  await expect.poll(() => first.told.at(-1)).toEqual({ type: "clients", clients: [ann, second] });
  watcher.send({ type: "status", ref: "s" });
  expect(await watcher.until("status")).toMatchObject({ clients: [ann, second] });
  watcher.socket.destroy();
  await expect.poll(() => first.told.at(-1)).toEqual({ type: "clients", clients: [ann] });
  // A change that is over before the client could be told is not told.
  expect(first.told.filter(({ type }) => type === "clients").length).toBeLessThanOrEqual(3);
  expect(first.told.every((line) => parseSessionMessage(line).ok)).toBe(true);
});

test("[SES-60] init and pong have the host's time", async () => {
  const before = Date.now();
  const client = await connect((await serve()).path);
  client.send({ type: "ping", ref: "p" });
  const pong = await client.until("pong");
  const times = [client.told[0], pong].map((line) => Date.parse(String(line?.["at"])));
  for (const time of times) {
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  }
});
