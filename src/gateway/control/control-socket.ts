import type { Socket } from "node:net";
import { join } from "node:path";
import { channel } from "../../net/channel.ts";
import { jsonLines } from "../../net/codec.ts";
import type { Listener } from "../../net/listen.ts";
import { listen } from "../../net/listen.ts";
import { check } from "../../wire/check-message.ts";
import { toWire } from "../../wire/error-wire.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import { linkOf, makeLinkFor } from "../sign-in/links.ts";
import type { PassStore } from "../sign-in/pass-store.ts";
import type { ControlAnswer, ControlHello } from "./control-messages.ts";
import { CONTROL_SOCKET, ControlRequestSchema } from "./control-messages.ts";

interface Served {
  readonly passes: PassStore;
  readonly origin: string;
  readonly serves: ControlHello["serves"];
}

/**
 * The exclusive right to a state directory, and the socket where the user of this machine makes and revokes links. Each
 * gateway has its own copy of the sign-ins, so a second one would let revoked people in, and write used links back as
 * open. A socket is the lock, because that of a killed process is known to be dead.
 */
export class ControlSocket implements AsyncDisposable {
  #listener: Listener | undefined;
  #served: Served | undefined;

  private constructor() {}

  /** @throws `socket_in_use` when a gateway that runs has the directory. */
  static async take(stateDir: string): Promise<ControlSocket> {
    const path = join(stateDir, CONTROL_SOCKET);
    const control = new ControlSocket();
    try {
      const onConnection = (socket: Socket): void => void control.#talk(socket);
      control.#listener = await listen({ path, onConnection });
      return control;
    } catch (cause) {
      if (!(cause instanceof ClaudeCodeError) || cause.code !== "socket_in_use") throw cause;
      throw errorOf("socket_in_use", `A gateway runs already with the state of ${stateDir}.`, {
        data: { path },
        hint: "'switchboard web link' prints a new link to it.",
        cause,
      });
    }
  }

  /** Until this is called, connections are closed at once. */
  serve(served: Served): void {
    this.#served = served;
  }

  async close(): Promise<void> {
    await this.#listener?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #talk(socket: Socket): Promise<void> {
    const served = this.#served;
    if (!served) return void socket.destroy();
    await using lines = channel(socket, jsonLines);
    const { origin, serves } = served;
    try {
      await lines.send({
        type: "gateway",
        origin,
        serves,
        pid: process.pid,
      } satisfies ControlHello);
      for await (const line of lines) await lines.send(answerTo(line, served));
    } catch {
      // The program that asked is gone.
    }
  }
}

function answerTo(line: Parsed, { passes, origin }: Served): ControlAnswer {
  try {
    if (!line.ok) throw line.error;
    const checked = check(ControlRequestSchema, line.value, "The request");
    if (!checked.ok) throw checked.error;
    const request = checked.value;
    if (request.type === "links")
      return { type: "links", links: passes.list().map((pass) => linkOf(pass)) };
    if (request.type === "make_link")
      return { type: "link", ...makeLinkFor(request.maker, request, passes, origin) };
    if (passes.revoke(request.id)) return { type: "unlinked", id: request.id };
    throw errorOf("invalid_params", `There is no link ${request.id}.`, {
      hint: "'switchboard web links' lists them.",
    });
  } catch (error) {
    return { type: "error", ...toWire(error) };
  }
}
