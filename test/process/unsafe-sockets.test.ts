import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { claimOf } from "../../src/net/socket-file/claim-path.ts";
import { dial } from "../../src/net/connect-with-retries.ts";
import { listen } from "../../src/net/listen.ts";
import { pathsOfAgent } from "../../src/team/host/local/agent-paths.ts";
import { ownTempDir, tempDir } from "../support/temp-dir.ts";
import { TeamStage } from "../support/team-stage.ts";
import { start } from "./fixtures/net-start.ts";
import { asStranger } from "./fixtures/stranger.ts";

const NOBODY = 65_534;
const agentSocket = fileURLToPath(new URL("../../bin/agent-socket.js", import.meta.url));

/** A directory that all may write to, as /tmp is. */
function sharedDir(): string {
  const directory = tempDir();
  chmodSync(directory, 0o1777);
  return directory;
}

// Only root can start a process as another user.
describe.runIf(process.getuid?.() === 0)("another user who was there first", () => {
  test("does not get an agent's sockets: `switchboard up` refuses the directory he made", async () => {
    const temp = ownTempDir();
    chmodSync(temp, 0o1777);
    const stage = new TeamStage(
      "name: long\nlead: boss\nagents:\n  boss: { description: leads, prompt: You lead. }\n",
      "rules: []\n",
    );
    const stateDir = join(stage.root, "a".repeat(75 - stage.root.length));
    const squatted = dirname(pathsOfAgent(stateDir, "boss").tools);
    expect(dirname(squatted)).toBe(temp);
    mkdirSync(squatted);
    chmodSync(squatted, 0o777);
    chownSync(squatted, NOBODY, NOBODY);
    const args = [
      "up",
      "--no-web",
      stage.teamFile,
      "--rehearsal",
      stage.scriptFile,
      "--state-dir",
      stateDir,
    ];
    const { code, err } = await stage.run(...args);
    expect(err).toContain(`${squatted} belongs to another user (uid ${NOBODY})`);
    expect(code).toBe(77);
    expect(stage.processes()).toEqual([]);
  });

  test("gets nothing from a client: `dial` and `agent-socket attach` refuse that socket", async () => {
    const path = join(sharedDir(), "my.sock");
    const squatter = start("net-squatter.ts", [path], asStranger);
    expect(JSON.parse(await squatter.nextLine())).toEqual({ event: "listens" });
    await expect(dial(path)).rejects.toMatchObject({
      code: "unsafe_place",
      message: expect.stringContaining("it belongs to another user (uid 65534)"),
    });
    const attach = spawnSync(process.execPath, [agentSocket, "attach", path, "--wait"], {
      input: "my password is hunter2\n",
      encoding: "utf8",
    });
    expect(attach.stderr).toContain("it belongs to another user");
    expect(attach.status).toBe(77);
    const first = squatter.nextLine();
    squatter.process.kill("SIGTERM");
    await expect(first).rejects.toThrow("Ended with SIGTERM");
  });

  test("cannot be replaced under a client's eyes: `dial` refuses a socket that all may rename", async () => {
    const open = tempDir();
    await using listener = await listen({ path: join(open, "my.sock"), onConnection: () => {} });
    chmodSync(open, 0o777);
    await expect(dial(listener.path)).rejects.toMatchObject({
      code: "unsafe_place",
      message: expect.stringContaining(`all may write to ${open}`),
    });
  });

  test("does not get a client through a link of its user: `dial` looks at the socket behind the link", async () => {
    const path = join(sharedDir(), "his.sock");
    const squatter = start("net-squatter.ts", [path], asStranger);
    expect(JSON.parse(await squatter.nextLine())).toEqual({ event: "listens" });
    const link = join(tempDir(), "my.sock");
    symlinkSync(path, link);
    await expect(dial(link)).rejects.toMatchObject({
      code: "unsafe_place",
      message: expect.stringContaining("it belongs to another user (uid 65534)"),
    });
    squatter.process.kill("SIGTERM");
  });

  test("cannot replace the socket of a host: `listen` refuses directories in which he could", async () => {
    const open = tempDir();
    chmodSync(open, 0o777);
    const his = join(tempDir(), "his");
    mkdirSync(his, 0o755);
    chownSync(his, NOBODY, NOBODY);
    chmodSync(dirname(his), 0o1777);
    for (const directory of [open, his]) {
      const listening = listen({ path: join(directory, "my.sock"), onConnection: () => {} });
      await expect(listening).rejects.toMatchObject({ code: "unsafe_place" });
    }
    await using shared = await listen({
      path: join(sharedDir(), "my.sock"),
      onConnection: () => {},
    });
    expect(existsSync(shared.path)).toBe(true);
  });

  test("is named when his file stands in the way of a new socket", async () => {
    const shared = sharedDir();
    const path = join(shared, "my.sock");
    const claim = claimOf(path);
    const squatter = start("net-squatter.ts", [claim], asStranger);
    await squatter.nextLine();
    squatter.process.kill("SIGKILL");
    await squatter.ended;
    expect(existsSync(claim)).toBe(true);
    onTestFinished(() => process.seteuid?.(0));
    process.setegid?.(12_345);
    process.seteuid?.(12_345);
    const refused = await listen({ path, onConnection: () => {} }).catch((error: unknown) => error);
    process.seteuid?.(0);
    process.setegid?.(0);
    expect(refused).toMatchObject({
      code: "socket_path_invalid",
      message: expect.stringContaining(`${claim} belongs to another user (uid ${NOBODY})`),
    });
  });
});
