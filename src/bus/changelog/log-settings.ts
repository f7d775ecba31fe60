/** Which log a replica belongs to, as plain data: it crosses a thread boundary. */
export interface LogSettings {
  /** The addresses of NATS servers, such as `nats://127.0.0.1:4222`. */
  servers: readonly string[];
  /** The stream is named after it. Letters, digits, `_` and `-`. */
  team: string;
  /** A file that `switchboard bus init` has written for the team. */
  credentials?: string | undefined;
  /** On how many servers a new log is stored: 1 or 3. By default 3 where the servers are a cluster. */
  replicas?: 1 | 3 | undefined;
  /** How large a new log may get; without a limit by default. */
  maxLogBytes?: number | undefined;
  /** Where the servers tell of themselves by HTTP: without them nothing is promised about a power loss. */
  monitors?: readonly string[] | undefined;
  /** How long an outcome is looked for before it is called unknown; 30,000 by default. */
  patienceMs?: number | undefined;
  /** How long the acknowledgement of one entry is waited for before the log is asked; 2,000 by default. */
  ackMs?: number | undefined;
  /** Stay with the given addresses, whatever others the servers name. */
  onlyTheseServers?: boolean | undefined;
  /** The own office entry, when the same bus opens its database again: if there is a newer one, it must not. */
  resumeFrom?: number | undefined;
  /** The last epoch that the team had before a new log begins. */
  epochAfter?: number | undefined;
  /** Become the log's last office: the team is stored there from now on. */
  leavesFor?: string | undefined;
  /** Who this office is, for readers of the log; by default the machine and the process. */
  writer?: string | undefined;
}
