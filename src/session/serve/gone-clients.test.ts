import type { Mock } from "vitest";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LoggedSession } from "../../../test/support/logged-session.ts";
import { loggedSession } from "../../../test/support/logged-session.ts";
import { connectLines, serveLogged } from "../../../test/support/serve-logged-session.ts";
import { ClientNames } from "./unique-client-names.ts";

/** A session whose commands take as long as the test wants. */
function gated() {
  const gate = Promise.withResolvers<void>();
  const session = loggedSession();
  const handle: LoggedSession["handle"] = async (command, by) => {
    session.handled.push({ command, by });
    await gate.promise;
  };
  return { session: { ...session, handle }, open: () => gate.resolve() };
}

/** That a client is gone shows when it is sent something. */
const noticed = (session: LoggedSession, released: Mock): Promise<void> =>
  vi.waitFor(
    () => {
      session.say("x");
      expect(released).toHaveBeenCalled();
    },
    { timeout: 20_000, interval: 10 },
  );

/** What the end of a promise leads to has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a client that leaves with a command open is not probed for ever", async () => {
  const { session, open } = gated();
  const released = vi.spyOn(ClientNames.prototype, "release");
  const asked = vi.spyOn(globalThis, "setTimeout");
  onTestFinished(() => void vi.restoreAllMocks());
  const path = await serveLogged(session);
  const client = await connectLines(path);
  client.send({ type: "message", text: "hi" });
  await vi.waitFor(() => expect(session.handled).toHaveLength(1), { timeout: 20_000 });
  client.socket.destroy();
  await noticed(session, released);
  await settled();
  asked.mockClear();
  open();
  await settled();
  expect(asked.mock.calls.filter(([, ms]) => ms === 10)).toEqual([]);
});

test("a client that ends its side and then leaves is released soon, though the session is idle", async () => {
  const session = loggedSession();
  const path = await serveLogged(session);
  const released = vi.spyOn(ClientNames.prototype, "release");
  onTestFinished(() => void vi.restoreAllMocks());
  for (let n = 0; n < 20; n++) {
    const client = await connectLines(path);
    client.halfClose();
    // The server has seen the end of this side, and not yet that of the other.
    await new Promise((resolve) => setTimeout(resolve, 5));
    client.socket.destroy();
  }
  await vi.waitFor(() => expect(released).toHaveBeenCalledTimes(20), { timeout: 10_000 });
});

test("[SES-9] a client that is gone takes no name", async () => {
  const { session, open } = gated();
  const released = vi.spyOn(ClientNames.prototype, "release");
  onTestFinished(() => void vi.restoreAllMocks());
  const path = await serveLogged(session);
  const client = await connectLines(path);
  // So many at a time: the one that follows waits.
  const busy = Array.from({ length: 64 }, () => ({ type: "abort" }));
  client.send(...busy, { type: "attach", since: 0, client: "ui" });
  await vi.waitFor(() => expect(session.handled).toHaveLength(64), { timeout: 20_000 });
  client.socket.destroy();
  await noticed(session, released);
  open();
  const next = await connectLines(path);
  next.send({ type: "attach", since: 0, client: "ui" });
  expect(await next.until("attached")).toMatchObject({ client: "ui" });
});
