import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { listen } from "../listen.ts";

const longAgo = new Date(Date.now() - 3_600_000);

/** A lobby in which a process listens, or has been killed. */
async function makeLobby(name: string, { dead }: { dead: boolean }): Promise<void> {
  mkdirSync(name);
  const socket = join(name, "s");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  if (dead) {
    // A server that is closed in good order takes its socket along.
    renameSync(socket, `${socket}-kept`);
    await new Promise((resolve) => server.close(resolve));
    renameSync(`${socket}-kept`, socket);
  } else onTestFinished(() => void server.close());
  utimesSync(socket, longAgo, longAgo);
}

test("sweepLobbies removes what killed processes left, and leaves the living alone", async () => {
  const directory = tempDir();
  await makeLobby(join(directory, ".sb-dead01"), { dead: true });
  await makeLobby(join(directory, ".sb-live01"), { dead: false });
  for (const name of [".sb-new001", ".sb-old001", "mine"]) mkdirSync(join(directory, name));
  utimesSync(join(directory, ".sb-old001"), longAgo, longAgo);
  const listener = await listen({ path: join(directory, "a.sock"), onConnection: () => {} });
  expect(readdirSync(directory).toSorted()).toEqual([".sb-live01", ".sb-new001", "a.sock", "mine"]);
  expect(existsSync(join(directory, ".sb-live01", "s"))).toBe(true);
  await listener.close();
});
