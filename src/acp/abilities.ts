import type { ClientCapabilities } from "@agentclientprotocol/sdk";

/** What the editor can show and ask. Nothing is sent that it did not offer. */
export interface Abilities {
  /** Live output of a command in a terminal (an extension that Zed introduced). */
  readonly terminalOutput: boolean;
  readonly notices: boolean;
  readonly compaction: boolean;
  /** Forms of `elicitation/create`. */
  readonly forms: boolean;
  /** Pages of `elicitation/create`. */
  readonly pages: boolean;
}

export const noAbilities: Abilities = {
  terminalOutput: false,
  notices: false,
  compaction: false,
  forms: false,
  pages: false,
};

const isOffered = (value: unknown): boolean => typeof value === "object" && value !== null;

/** What `initialize` says of the editor. */
export function abilitiesOf(capabilities: ClientCapabilities | undefined): Abilities {
  const { _meta: meta, session, elicitation } = capabilities ?? {};
  return {
    terminalOutput: meta?.["terminal_output"] === true,
    notices: isOffered(session?.notices),
    compaction: isOffered(session?.compaction),
    forms: isOffered(elicitation?.form),
    pages: isOffered(elicitation?.url),
  };
}
