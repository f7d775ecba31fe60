import type { ToolSchema } from "../../wire/tool-schema-file.ts";

/** One way for sessions to reach a started host. */
export interface Endpoint<Config> {
  readonly config: Config;
  /** Announces the tools to sessions that come later. */
  announce(schemas: readonly ToolSchema[]): void;
  /** Ends every connection, after everything sent has arrived. */
  close(): Promise<void>;
}
