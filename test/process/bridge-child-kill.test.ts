import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { HostProcess } from "./fixtures/bridge-host-process.ts";
import { BridgeProcess, textOf, writeSchema } from "./fixtures/bridge-process.ts";

/** `hold` answers on the second host only, so that the first can be killed in mid-call. */
async function meet(idempotent = false) {
  const directory = tempDir();
  const socket = join(directory, "a.sock");
  const names = ["hold", "leave", "meta", "who"];
  const schema = writeSchema(
    directory,
    names.map((name) => ({ name, idempotent })),
  );
  const host = await HostProcess.own(socket);
  const bridge = new BridgeProcess(socket, schema, "own");
  await bridge.initialize();
  return { directory, socket, schema, host, bridge };
}

const MAY_HAVE_RUN = /^error: IPCConnectionError: The connection to .* was lost: .* may have run/;
const DID_NOT_RUN = /^error: IPCConnectionError: Could not connect to .* no call ran/;

describe("a host that is killed, in own mode", () => {
  it("[IPC-41] [IPC-42] in mid-call: open calls fail and are not repeated, the next goes to the new host", async () => {
    const { socket, host, bridge } = await meet();
    const open = [bridge.call("hold"), bridge.call("hold")];
    await host.called("hold", 2);
    await host.kill();
    for (const call of open) expect(textOf(await call)).toMatch(MAY_HAVE_RUN);
    expect(textOf(await bridge.call("who"))).toMatch(DID_NOT_RUN);
    const second = await HostProcess.own(socket, "second");
    expect(textOf(await bridge.call("who"))).toBe("second");
    expect(second.calls()).toEqual(["who"]);
  });

  it("[IPC-31] [IPC-42] between two calls: the next goes to the new host, with a handshake before it", async () => {
    const { socket, host, bridge } = await meet();
    await bridge.call("who");
    await host.kill();
    const second = await HostProcess.own(socket, "second");
    expect(textOf(await bridge.call("who"))).toBe("second");
    const received = second.told.flatMap((event) =>
      event.type === "received" ? [event.message.method] : [],
    );
    expect(received).toEqual(["initialize", "notifications/initialized", "tools/call"]);
    expect(bridge.told.some(({ id }) => id === "bridge:init")).toBe(false);
  });

  it("[IPC-38] in mid-call of an idempotent tool: the call is sent again, to the byte, and answered once", async () => {
    const { socket, host, bridge } = await meet(true);
    const line =
      '{"method":"tools/call","params":{"name":"hold","arguments":{},' +
      '"_meta":{"claudecode/toolUseId":"toolu_1","progressToken":4}},"jsonrpc":"2.0","id":"x-1"}';
    bridge.send(line);
    await host.called("hold");
    await host.kill();
    const second = await HostProcess.own(socket, "second");
    expect(textOf(await bridge.answerTo("x-1"))).toBe("second after all");
    const { text } = await second.until("received", {
      fits: ({ message }) => message.name === "hold",
    });
    expect(text).toBe(line);
    await bridge.call("who");
    expect(bridge.told.filter(({ id }) => id === "x-1")).toHaveLength(1);
    expect(second.calls()).toEqual(["hold", "who"]);
  });

  it("[IPC-38] calls of idempotent tools that come meanwhile wait for the new one", async () => {
    const { socket, host, bridge } = await meet(true);
    await bridge.call("who");
    await host.kill();
    const waiting = [bridge.call("who"), bridge.call("who")];
    const other = bridge.call("unknown");
    expect(textOf(await other)).toMatch(/^error: IPCConnectionError/);
    await HostProcess.own(socket, "second");
    for (const call of waiting) expect(textOf(await call)).toBe("second");
  });

  it("[IPC-38] a call that comes together with the end of the connection waits, too", async () => {
    const { socket, host, bridge } = await meet(true);
    await bridge.call("who");
    // Both are there when it looks: the end of the connection, and behind it the call.
    bridge.child.kill("SIGSTOP");
    await host.kill();
    const call = bridge.call("who");
    bridge.child.kill("SIGCONT");
    await bridge.request("ping");
    await HostProcess.own(socket, "second");
    expect(textOf(await call)).toBe("second");
  });

  it("[IPC-34] [IPC-38] a call that is cancelled while it waits is not sent again", async () => {
    const { socket, host, bridge } = await meet(true);
    bridge.send({ id: "gone", method: "tools/call", params: { name: "hold" } });
    await host.called("hold");
    await host.kill();
    bridge.send({ method: "notifications/cancelled", params: { requestId: "gone" } });
    await bridge.request("ping");
    const second = await HostProcess.own(socket, "second");
    expect(textOf(await bridge.call("who"))).toBe("second");
    await delay(300);
    expect(second.calls()).toEqual(["who"]);
    expect(bridge.told.some(({ id }) => id === "gone")).toBe(false);
  });

  it("[IPC-31] [IPC-38] [IPC-40] patience ends after 30 s, however often the call is lost, and however the host is away", async () => {
    const [dead, poisoned, stopped] = [await meet(true), await meet(true), await meet()];
    const begin = performance.now();
    const lost = dead.bridge.call("hold", {}, 40_000);
    await dead.host.called("hold");
    await dead.host.kill();
    // A host that leaves whenever it gets the call: no new patience for each time.
    const poison = poisoned.bridge.call("leave", {}, 40_000);
    // A host that takes connections, but does not say a word.
    const silent = new BridgeProcess(stopped.socket, stopped.schema, "own");
    stopped.host.stop();
    const unheard = silent.call("who", {}, 40_000);

    await delay(3_000);
    const late = dead.bridge.call("who", {}, 40_000);
    for (const { bridge } of [dead, poisoned, { bridge: silent }])
      expect((await bridge.request("ping")).result).toEqual({});

    expect(textOf(await lost)).toMatch(MAY_HAVE_RUN);
    expect(textOf(await late)).toMatch(DID_NOT_RUN);
    expect(textOf(await poison)).toMatch(MAY_HAVE_RUN);
    expect(textOf(await unheard)).toMatch(/^error: IPCConnectionError: .*no answer in 30000 ms/);
    const seconds = (performance.now() - begin) / 1000;
    expect(seconds).toBeGreaterThan(29);
    expect(seconds).toBeLessThan(38);
    expect(poisoned.host.calls().length).toBeGreaterThan(10);
    expect(poisoned.host.calls().length).toBeLessThan(301);

    const again = performance.now();
    expect(textOf(await dead.bridge.call("who"))).toMatch(DID_NOT_RUN);
    expect(performance.now() - again).toBeLessThan(5_000);
    expect(textOf(await poisoned.bridge.call("who"))).toBe("first");
    stopped.host.goOn();
    expect(textOf(await silent.call("who"))).toBe("first");
  });
});

describe("a host that is stopped, in own mode", () => {
  it("[IPC-11] [IPC-33] the bridge waits, answers for itself, and gets the results when it goes on", async () => {
    const { host, bridge } = await meet();
    await bridge.call("who");
    host.stop();
    const calls = [bridge.call("who"), bridge.call("meta")];
    expect((await bridge.request("ping")).result).toEqual({});
    expect((await bridge.request("tools/list")).result).toBeDefined();
    expect(bridge.told.filter(({ result }) => result?.content)).toHaveLength(1);
    host.goOn();
    expect((await Promise.all(calls)).map(textOf)).toEqual(["first", '{"id":4}']);
  });

  it("[IPC-10] the bridge ends at once when standard input ends", async () => {
    const { host, bridge } = await meet();
    await bridge.call("who");
    host.stop();
    void bridge.call("who").catch(() => {});
    await bridge.request("ping");
    bridge.child.stdin.end();
    expect(await bridge.ended).toEqual({ code: 0, signal: null });
  });
});

describe("a socket file that is removed, in own mode", () => {
  it("[IPC-40] [IPC-42] does not matter to an open connection; a new one waits for a new host", async () => {
    const { socket, schema, host, bridge } = await meet();
    await bridge.call("who");
    rmSync(socket);
    expect(textOf(await bridge.call("who"))).toBe("first");
    const other = new BridgeProcess(socket, schema, "own");
    await other.initialize();
    expect(textOf(await other.call("who"))).toMatch(DID_NOT_RUN);
    await HostProcess.own(socket, "second");
    expect(textOf(await other.call("who"))).toBe("second");
    expect(textOf(await bridge.call("who"))).toBe("first");
    await host.kill();
  });
});

describe("a bridge that is killed, in own mode", () => {
  it("[IPC-42] in mid-call: the host sees it, and the next bridge works", async () => {
    const { socket, schema, host, bridge } = await meet();
    void bridge.call("hold").catch(() => {});
    await host.called("hold");
    bridge.child.kill("SIGKILL");
    await host.until("disconnected");
    const next = new BridgeProcess(socket, schema, "own");
    await next.initialize();
    expect(textOf(await next.call("who"))).toBe("first");
  });

  it("[IPC-42] many at once on one host do not disturb each other", async () => {
    const { socket, schema, host } = await meet();
    const bridges = Array.from({ length: 6 }, () => new BridgeProcess(socket, schema, "own"));
    const ids = await Promise.all(
      bridges.map(async (bridge, index) => {
        bridge.send({ id: `b${index}`, method: "tools/call", params: { name: "meta" } });
        return textOf(await bridge.answerTo(`b${index}`));
      }),
    );
    expect(ids).toEqual(bridges.map((_, index) => `{"id":"b${index}"}`));
    for (const bridge of bridges.slice(1)) bridge.child.kill("SIGKILL");
    await Promise.all(bridges.slice(1).map(({ ended }) => ended));
    expect(textOf(await bridges[0]!.call("who"))).toBe("first");
    expect(host.count("connected")).toBe(7);
  });
});
