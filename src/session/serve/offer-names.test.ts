import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { loggedSession } from "../../../test/support/logged-session.ts";
import type { Line } from "../../../test/support/session-line-client.ts";
import { SessionLineClient } from "../../../test/support/session-line-client.ts";
import { createLogger } from "../../log/logger.ts";
import { ToolOffers } from "../core/offers/tool-offers.ts";
import { Recorder } from "../core/event-recorder.ts";
import type { ClientLink, Session } from "../core/session.ts";
import { serveSession } from "./serve-session.ts";

/** A session without a CLI whose clients can offer tools. `setServers` are its MCP servers. */
async function serveOffers(setServers: string[] = []) {
  const logged = loggedSession();
  const offers = new ToolOffers({
    recorder: new Recorder(logged.log),
    timers: new HandTimers(),
    servers: { offer: async () => {}, ownNames: setServers },
    serverNames: async () => setServers,
    whenKnown: async () => {},
    epoch: 1,
  });
  const left: ClientLink[] = [];
  const session: Session = {
    ...logged,
    async handle(command, _by, link) {
      if (command.type === "offer_tools" && link) await offers.offer(command, link);
    },
    left(link) {
      offers.left(link);
      left.push(link);
    },
  };
  const about = { version: "1.2.3", rehearsal: false };
  const logger = createLogger({ name: "test" });
  const server = await serveSession(session, { about, logger, onEnd: () => {} });
  onTestFinished(async () => {
    await server.close();
    await offers.close();
  });
  return { path: server.path, left };
}

async function connect(
  path: string,
  name: string,
): Promise<{ client: SessionLineClient; name: unknown }> {
  const client = new SessionLineClient(path);
  await client.until("init");
  client.send({ type: "attach", since: 0, client: name });
  return { client, name: (await client.until("attached"))["client"] };
}

const tool = { name: "t", description: "d", input_schema: { type: "object" } };
let refs = 0;

/** `ok`, or the code of the error. */
async function offer(
  client: SessionLineClient,
  tools: readonly object[] = [tool],
): Promise<unknown> {
  refs += 1;
  const ref = `r${refs}`;
  client.send({ type: "offer_tools", namespace: "a_b", tools, ref });
  const fits = (line: Line): boolean => line["ref"] === ref;
  return Promise.race([
    client.until("ok", { fits }).then(() => "ok"),
    client.until("error", { fits }).then(({ code }) => code),
  ]);
}

test("[SES-87] a client takes up its tools although its old connection still holds its name", async () => {
  const { path, left } = await serveOffers();
  const { client: old } = await connect(path, "program");
  expect(await offer(old)).toBe("ok");
  const { client, name } = await connect(path, "program");
  expect(name).toBe("program-2");
  const { client: other } = await connect(path, "other");
  expect(await offer(client)).toBe("name_in_use");
  // It reads on: its name stays taken.
  old.socket.end();
  await expect.poll(() => left).toHaveLength(1);
  expect(await offer(other)).toBe("name_in_use");
  expect(await offer(client)).toBe("ok");
});

test("[SES-86] a namespace that was withdrawn cannot be offered again when a set server has taken its name", async () => {
  const servers: string[] = [];
  const { path } = await serveOffers(servers);
  const { client } = await connect(path, "program");
  expect(await offer(client)).toBe("ok");
  expect(await offer(client, [])).toBe("ok");
  servers.push("a b");
  expect(await offer(client)).toBe("name_in_use");
});
