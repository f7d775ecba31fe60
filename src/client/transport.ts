import type { StreamConnect, StreamTransport } from "../stream/stream-transport.ts";
import type { SessionCommandInput } from "../wire/session/commands.ts";

/** One connection to a session: for example JSON Lines over a Unix socket, or messages of a WebSocket. */
export type Transport = StreamTransport<SessionCommandInput>;

/** One try to connect. @throws when there is no connection, or the signal's reason when it was aborted. */
export type Connect = StreamConnect<SessionCommandInput>;
