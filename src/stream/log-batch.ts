/** Complete lines of a log: the same bytes in the log and to clients. */
export interface LogBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Uint8Array;
}

/** A log as a feed reads it. */
export interface StreamLog {
  /** The oldest event that `readAfter` can give. */
  readonly firstSeq: number;
  /** The newest event that has been published. */
  readonly publishedSeq: number;
  /** Everything after `since` up to `publishedSeq`, in batches of bounded size. @throws `since_not_in_log` */
  readAfter(since: number): AsyncIterable<LogBatch>;
}
