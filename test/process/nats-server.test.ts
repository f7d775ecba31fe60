import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hasNats, startNats } from "../support/nats/start-nats.ts";

describe.skipIf(!hasNats)("a nats-server for tests", () => {
  it("listens on its own port with its own store, and comes back there after kill -9", async () => {
    const nats = await startNats({ sync: "always" });
    onTestFinished(nats.close);
    const { server } = nats;
    const before = await infoOf(server.url);
    expect(before).toMatchObject({ server_name: "n1", jetstream: true });
    expect(existsSync(server.storeDirectory)).toBe(true);

    await server.kill();
    await expect(infoOf(server.url)).rejects.toThrow("ECONNREFUSED");
    await server.start();
    expect(await infoOf(server.url)).toMatchObject({ server_name: "n1", port: before["port"] });

    await nats.close();
    expect(existsSync(server.storeDirectory)).toBe(false);
  });

  it("ends with the process that started it, paused or not, and leaves nothing on the disk", async () => {
    const file = join(import.meta.dirname, "fixtures/nats-until-killed.ts");
    const owner = spawn(process.execPath, [file], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void owner.kill("SIGKILL"));
    const [line] = (await once(owner.stdout, "data")) as [Buffer];
    const servers = JSON.parse(String(line)) as { pid: number; storeDirectory: string }[];
    expect(servers).toHaveLength(3);
    process.kill(servers[0]!.pid, "SIGSTOP");

    owner.kill("SIGKILL");
    for (const { pid, storeDirectory } of servers) {
      await vi.waitUntil(() => !existsSync(`/proc/${pid}`), { timeout: 20_000 });
      await vi.waitUntil(() => !existsSync(storeDirectory), { timeout: 20_000 });
    }
  });
});

/** What a server says first on a connection. */
async function infoOf(url: string): Promise<Record<string, unknown>> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const [line] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return JSON.parse(String(line).replace(/^INFO /, "")) as Record<string, unknown>;
}
