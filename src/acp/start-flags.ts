/** What the person has said on the command line of this face; it goes to every host that we start. */
export interface FaceSettings {
  /** Flags of `agent-socket` that are passed on, such as `--model`. */
  readonly hostFlags: readonly string[];
  /** How long a host without clients and without work lives on. */
  readonly lingerMs: number;
  /** How long a request waits for a person; 0: for ever. */
  readonly approvalTimeoutMs: number;
}

/** Which session a host is to run. */
export type SessionBeginning =
  | { readonly type: "new" }
  | { readonly type: "resume"; readonly sessionId: string }
  | { readonly type: "fork"; readonly sessionId: string };

export interface HostWish {
  readonly cwd: string;
  readonly beginning: SessionBeginning;
  readonly additionalDirectories: readonly string[];
  /** A file in the form of `.mcp.json`. */
  readonly mcpConfig?: string | undefined;
}

/** The arguments of `agent-socket --detach`. */
export function startFlags(settings: FaceSettings, wish: HostWish): string[] {
  const { cwd, beginning, additionalDirectories, mcpConfig } = wish;
  return [
    "--cwd",
    cwd,
    ...(beginning.type === "new" ? [] : ["--resume", beginning.sessionId]),
    ...(beginning.type === "fork" ? ["--fork"] : []),
    "--linger-ms",
    String(settings.lingerMs),
    "--approval-timeout-ms",
    String(settings.approvalTimeoutMs),
    ...(additionalDirectories.length > 0 ? ["--add-dir", ...additionalDirectories] : []),
    ...(mcpConfig === undefined ? [] : ["--mcp-config", mcpConfig]),
    ...settings.hostFlags,
  ];
}
