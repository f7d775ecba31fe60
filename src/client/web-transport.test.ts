import { describe, expect, it } from "vitest";
import { FakeSession } from "../../test/support/fake-session.ts";
import type { Keys } from "../../test/support/gateway-stage.ts";
import { GatewayStage } from "../../test/support/gateway-stage.ts";
import { WebSocket } from "ws";
import type { ConnectionState } from "./session-connection.ts";
import { SessionClient } from "./session-client.ts";
import type { WebSocketLike } from "./web-transport.ts";
import { webConnect } from "./web-transport.ts";

const quickly = { tries: Infinity, firstDelayMs: 1, maxDelayMs: 5, factor: 2 };

const connectTo = (stage: GatewayStage, { cookie, key }: Keys) =>
  webConnect<never>({
    url: `ws://${stage.host}/ws/session`,
    key,
    open: (url, protocols) =>
      new WebSocket(url, protocols, { origin: stage.origin, headers: { cookie } }),
  });

async function start() {
  const session = await new FakeSession().start();
  const stage = await GatewayStage.start({ target: { kind: "session", socket: session.path } });
  return { session, stage, keys: await stage.signIn() };
}

const say = (session: FakeSession, text: string) =>
  session.happen({ type: "text_delta", turn_id: "t", block: 0, text });

describe("webConnect", () => {
  it("lets a SessionClient attach, send commands and follow, also when the session is started again", async () => {
    const { session, stage, keys } = await start();
    say(session, "before");
    await using client = await SessionClient.open(connectTo(stage, keys), { policy: quickly });
    const texts: string[] = [];
    const reading = (async () => {
      for await (const event of client.events()) {
        if (event.type === "text_delta") texts.push(event.text);
        if (texts.length === 3) break;
      }
    })();
    await client.setMode("plan");
    expect(session.told.map(({ type }) => type)).toEqual(["attach", "set_mode"]);
    say(session, "live\u2028 日本語");
    await session.stop();
    session.log.push({ ...session.log[1]!, seq: 3, text: "meanwhile" } as never);
    await session.start();
    await reading;
    expect(texts).toEqual(["before", "live\u2028 日本語", "meanwhile"]);
  });

  it("does not try again after 4401", async () => {
    const { stage, keys } = await start();
    const states: ConnectionState[] = [];
    const client = await SessionClient.open(connectTo(stage, keys), {
      policy: quickly,
      onConnection: (state) => states.push(state),
    });
    await stage.askAs(keys, "/auth/leave", { method: "POST" });
    expect(await client.closed).toMatchObject({ code: "sign_in_required" });
    expect(states.map(({ state }) => state)).toEqual(["connected", "closed"]);
  });

  it("does not try again after 4422, and says how to get another name", async () => {
    const { stage, keys } = await start();
    const sockets: WebSocket[] = [];
    const connect = webConnect<never>({
      url: `ws://${stage.host}/ws/session`,
      key: keys.key,
      open(url, protocols) {
        const { cookie } = keys;
        const socket = new WebSocket(url, protocols, { origin: stage.origin, headers: { cookie } });
        sockets.push(socket);
        return socket;
      },
    });
    const client = await SessionClient.open(connect, { policy: quickly });
    sockets[0]?.emit("close", 4422, Buffer.from("The team does not take the name."));
    expect(await client.closed).toMatchObject({
      code: "invalid_params",
      message: "The team does not take the name.",
      hint: expect.stringContaining("another name"),
    });
    expect(sockets).toHaveLength(1);
    sockets[0]?.terminate();
  });

  it("fails with connection_failed when there is no handshake, and with the reason of an abort", async () => {
    const { stage, keys } = await start();
    const wrong = { ...keys, key: "wrong" };
    await expect(SessionClient.open(connectTo(stage, wrong))).rejects.toMatchObject({
      code: "connection_failed",
    });
    await expect(connectTo(stage, keys)(AbortSignal.abort(new Error("enough")))).rejects.toThrow(
      "enough",
    );
  });

  it("refuses a message that the gateway would not take, or that has no JSON form, and goes on", async () => {
    const { stage, keys } = await start();
    await using client = await SessionClient.open(connectTo(stage, keys), { policy: quickly });
    await expect(client.send("ö".repeat(6_000_000))).rejects.toMatchObject({
      code: "message_too_large",
    });
    const bigInt = { type: "text", text: 1n } as never;
    await expect(client.send([bigInt])).rejects.toMatchObject({ code: "not_serialisable" });
    await client.setMode("plan");
    expect(client.init.type).toBe("init");
  });

  it("tells of a frame that is not JSON in its place, and of the end", async () => {
    const socket = new FakeSocket();
    const connected = webConnect<object>({ url: "ws://x", key: "k", open: () => socket })(
      new AbortController().signal,
    );
    socket.tell("open", {});
    const transport = await connected;
    for (const data of ['{"a":1}', "{", "2"]) socket.tell("message", { data });
    socket.tell("close", { code: 4503, reason: "The server is gone." });
    const got: unknown[] = [];
    const reading = (async () => {
      for await (const line of transport) got.push(line.ok ? line.value : line.error.code);
    })();
    await expect(reading).rejects.toMatchObject({ code: "connection_lost", data: { close: 4503 } });
    expect(got).toEqual([{ a: 1 }, "parse_error", 2]);
    await expect(transport.send({})).rejects.toMatchObject({ code: "connection_lost" });
  });

  it.each([
    [4401, "sign_in_required"],
    [4403, "read_only"],
    [4404, "agent_not_found"],
    [4409, "agent_unavailable"],
    [4422, "invalid_params"],
    [1006, "connection_lost"],
  ])("makes of the close %i the error %s", async (code, expected) => {
    const socket = new FakeSocket();
    const connected = webConnect<object>({ url: "ws://x", key: "k", open: () => socket })(
      new AbortController().signal,
    );
    socket.tell("open", {});
    const [first] = [(await connected)[Symbol.asyncIterator]().next()];
    socket.tell("close", { code, reason: "" });
    await expect(first).rejects.toMatchObject({ code: expected });
  });
});

/** A WebSocket whose other end is the test. */
class FakeSocket implements WebSocketLike {
  readyState = 3;
  readonly #listeners: [string, (event: never) => void][] = [];

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.push([type, listener]);
  }

  tell(type: string, event: object): void {
    for (const [name, listener] of this.#listeners) if (name === type) listener(event as never);
  }

  send(): void {}
  close(): void {}
}
