import type { Session } from "../core/session.ts";
import type { ClientNames } from "./client-names.ts";

/** What a session's program says of itself. */
export interface About {
  /** Of this package. */
  readonly version: string;
  readonly rehearsal: boolean;
}

/** What the clients of one session share. */
export interface House {
  readonly session: Session;
  readonly about: About;
  readonly names: ClientNames;
  /** A client asks for the end of the session. */
  end(): void;
  /** Writes down what is a defect and not a client's mistake, and gives it back. */
  noticed(error: unknown): unknown;
}
