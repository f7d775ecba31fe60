import { ClaudeCodeError } from "../../wire/errors.ts";
import { encodeJson, parseJson } from "../../wire/json-payload.ts";
import type { HostLink } from "./host-link.ts";
import { connectionFailed, openLink } from "./host-link.ts";
import { readHostMessage } from "./read-host-message.ts";
import { protocolVersions } from "./local-answers.ts";
import type { Message, RpcResponse } from "./read-message.ts";
import { warnOperator } from "./warn-operator.ts";
import { MAX_HELD_BYTES } from "./write-to-stdout.ts";

/** Reserved: no id of a client looks like it. */
const HANDSHAKE_ID = "bridge:init";
/** A host in long synchronous work answers late; a suspended one never does. */
const HANDSHAKE_TIMEOUT_MS = 30_000;

/** The `initialize` parameters for a client that sends none. */
export const ANONYMOUS = {
  protocolVersion: protocolVersions[0],
  capabilities: {},
  clientInfo: { name: "unknown", version: "0" },
};

/**
 * Connects, and makes MCP's handshake on behalf of the client, so that the host sees a normal client after every
 * reconnect.
 *
 * @param introduction the parameters of the client's own `initialize`.
 * @param receive gets what the host sends afterwards, in order.
 * @throws `connection_failed`.
 */
export async function openOwnLink(
  path: string,
  introduction: object,
  receive: (message: Message, link: HostLink) => void,
): Promise<HostLink> {
  const handshake = Promise.withResolvers<RpcResponse | ClaudeCodeError>();
  const link = await openLink({
    path,
    maxFrameBytes: MAX_HELD_BYTES,
    receive: (frame) => {
      const read = frame.ok ? readHostMessage(frame.bytes) : frame;
      if (!read.ok) {
        // We cannot tell which call it answered, so all of them fail with the link.
        warnOperator(read.error);
        link.close();
      } else if (read.message.kind === "response" && read.message.id === HANDSHAKE_ID) {
        handshake.resolve(read.message);
      } else {
        receive(read.message, link);
      }
    },
  });
  const give = (why: string): void => handshake.resolve(connectionFailed(path, why));
  const timer = setTimeout(give, HANDSHAKE_TIMEOUT_MS, `no answer in ${HANDSHAKE_TIMEOUT_MS} ms`);
  void link.ended.then(({ message }) => give(message));
  try {
    const request = {
      jsonrpc: "2.0",
      id: HANDSHAKE_ID,
      method: "initialize",
      params: introduction,
    };
    link.send(encodeJson(request));
    const answer = await handshake.promise;
    if (answer instanceof ClaudeCodeError) throw answer;
    const refused = errorIn(answer);
    if (refused !== undefined) throw connectionFailed(path, `it refused the handshake: ${refused}`);
    link.send(encodeJson({ jsonrpc: "2.0", method: "notifications/initialized" }));
    return link;
  } catch (error) {
    link.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function errorIn({ bytes }: RpcResponse): string | undefined {
  const parsed = parseJson(bytes);
  if (!parsed.ok) return parsed.error.message;
  const { error } = parsed.value as { error?: { message?: unknown } };
  return error && String(error.message);
}
