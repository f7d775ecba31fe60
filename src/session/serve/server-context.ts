import type { Session } from "../core/session.ts";
import type { ConnectedClient } from "../../wire/session/shared-schemas.ts";
import type { ClientNames } from "./unique-client-names.ts";

/** What the program of a session says of itself. */
export interface ProgramInfo {
  /** Of this package. */
  readonly version: string;
  readonly rehearsal: boolean;
}

/** What the clients of one session share. */
export interface ServerContext {
  readonly session: Session;
  readonly about: ProgramInfo;
  readonly names: ClientNames;
  /** All clients that are connected now. */
  clients(): ConnectedClient[];
  /** A client came, went or took another name: the others are told. */
  clientsChanged(): void;
  /** A client requests the end of the session. */
  end(): void;
  /** Logs the error if it is a defect and not a client's mistake. Returns the error. */
  logDefect(error: unknown): unknown;
}
