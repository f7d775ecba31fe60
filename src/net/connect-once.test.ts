import { expect, test } from "vitest";
import { connect } from "./connect-once.ts";
import { listen } from "./listen.ts";

test("an abort cancels the try itself, not only the wait for it", async () => {
  await using listener = await listen({ onConnection: () => {} });
  const controller = new AbortController();
  const connecting = connect(listener.path, 1_000, controller.signal);
  controller.abort();
  await expect(connecting).rejects.toMatchObject({ code: "ABORT_ERR" });
});

test("a later abort does not touch the connection", async () => {
  await using listener = await listen({ onConnection: () => {} });
  const controller = new AbortController();
  const socket = await connect(listener.path, 1_000, controller.signal);
  controller.abort();
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});
