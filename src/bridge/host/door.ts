import type { ToolSchema } from "../../wire/tool-schema-file.ts";

/** One way in which sessions reach a host that has started. */
export interface Door<Config> {
  readonly config: Config;
  /** Makes known which tools there are, to sessions that come later. */
  announce(schemas: readonly ToolSchema[]): void;
  /** Ends every connection, after what was sent has arrived. */
  close(): Promise<void>;
}
