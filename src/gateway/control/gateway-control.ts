import { join } from "node:path";
import { probeSocket } from "../../net/probe-socket.ts";
import { fromWire } from "../../wire/error-wire.ts";
import { errorOf } from "../../wire/errors.ts";
import type { GatewayLink } from "../../wire/gateway.ts";
import { LineClient } from "../relay/line-client.ts";
import type { MadeLink } from "../sign-in/links.ts";
import type { ControlAnswer, ControlHello, ControlRequest } from "./control-messages.ts";
import { CONTROL_SOCKET } from "./control-messages.ts";

export type LinkRequest = Omit<ControlRequest & { type: "make_link" }, "type">;

/** A talk with a gateway of this user on this machine, over its control socket. */
export class GatewayControl implements AsyncDisposable {
  readonly #client: LineClient;

  private constructor(client: LineClient) {
    this.#client = client;
  }

  /** Undefined when no gateway runs with this state directory. @throws as `dial` does; `timeout`; `connection_lost`. */
  static async open(stateDir: string): Promise<GatewayControl | undefined> {
    const path = join(stateDir, CONTROL_SOCKET);
    if ((await probeSocket(path)).state !== "alive") return undefined;
    return new GatewayControl(await LineClient.open(path));
  }

  get hello(): ControlHello {
    return this.#client.first as unknown as ControlHello;
  }

  /** @throws `invalid_params` for a name that no person can have; `queue_full`. */
  makeLink(wanted: LinkRequest): Promise<MadeLink> {
    return this.#ask({ type: "make_link", ...wanted }, "link");
  }

  /** All links that are open, and the sign-ins that came of others. */
  async links(): Promise<readonly GatewayLink[]> {
    return (await this.#ask({ type: "links" }, "links")).links;
  }

  /** Ends a link, or its sign-in with all that is open of it. @throws `invalid_params` when there is none with this id. */
  async unlink(id: string): Promise<void> {
    await this.#ask({ type: "unlink", id }, "unlinked");
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#client[Symbol.asyncDispose]();
  }

  async #ask<Type extends ControlAnswer["type"]>(
    request: ControlRequest,
    type: Type,
  ): Promise<ControlAnswer & { type: Type }> {
    const line = (await this.#client.ask(request, () => true)) as unknown as ControlAnswer;
    if (line.type === "error") throw fromWire(line);
    if (line.type === type) return line as ControlAnswer & { type: Type };
    throw errorOf("internal", `The gateway answered ${request.type} with something else.`);
  }
}
