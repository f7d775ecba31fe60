import type { RpcNotification, RpcRequest, RpcResponse } from "./read-message.ts";

/** How calls get to the host, and their answers back. */
export interface Mode {
  readonly carries: Carries;
  /** The client has sent `initialize`, and has its answer. */
  begin(initialize: RpcRequest): void;
  /** Sends exactly one answer, unless the client cancels the call. */
  call(request: RpcRequest): void;
  /** Anything else from the client: it expects no answer. */
  pass(message: RpcNotification | RpcResponse): void;
}

/** What the client can receive beside text. */
export interface Carries {
  listChanged: boolean;
  structuredContent: boolean;
}
