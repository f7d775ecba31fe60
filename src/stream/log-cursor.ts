/** The newest events of a log, so many at most: a place that only the server's `init` settles. */
export interface Newest {
  readonly newest: number;
}

/** A place in a log: the last event that a client has, its log, and the start of the server that sent it. */
export interface LogCursor {
  readonly since: number;
  readonly logId?: string | undefined;
  readonly epoch?: number | undefined;
}
