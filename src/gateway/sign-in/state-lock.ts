import { join } from "node:path";
import type { Listener } from "../../net/listen.ts";
import { listen } from "../../net/listen.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";

/**
 * The exclusive right to a state directory, until it is closed. Each gateway has its own copy of the sign-ins, so a second
 * one would let revoked people in, and write used links back as open. A socket is the lock, because that of a killed
 * process is known to be dead.
 *
 * @throws `socket_in_use` when a gateway that runs has it.
 */
export async function lockState(stateDir: string): Promise<Listener> {
  const path = join(stateDir, "gateway.sock");
  try {
    return await listen({ path, onConnection: (socket) => void socket.destroy() });
  } catch (cause) {
    if (!(cause instanceof ClaudeCodeError) || cause.code !== "socket_in_use") throw cause;
    throw errorOf("socket_in_use", `A gateway runs already with the state of ${stateDir}.`, {
      data: { path },
      hint: "Let an owner make a link on its page. Or end it and start it again, which prints a link and signs nobody out.",
      cause,
    });
  }
}
