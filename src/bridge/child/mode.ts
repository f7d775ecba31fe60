import type { Notification, Request, Response } from "./message.ts";

/** How calls get to the host, and their answers back. */
export interface Mode {
  readonly carries: Carries;
  /** The client has introduced itself, and has its answer. */
  begin(initialize: Request): void;
  /** Gives exactly one answer, unless the client cancels the call. */
  call(request: Request): void;
  /** Whatever else the client says: it waits for no answer. */
  pass(message: Notification | Response): void;
}

/** What can get through to the client beside text. */
export interface Carries {
  listChanged: boolean;
  structuredContent: boolean;
}
