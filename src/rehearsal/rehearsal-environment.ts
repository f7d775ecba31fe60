/** The key that clients of a rehearsal send. It opens nothing. */
const rehearsalKey = "rehearsal";

/**
 * The variables that make the Claude Code CLI, or any client of the Messages API, talk to a rehearsal.
 *
 * @param account only of a subscription does Claude Code tell when its usage limit resets.
 */
export function rehearsalEnvironment(
  url: string,
  { agent, account = "key" }: { agent?: string; account?: "key" | "subscription" } = {},
): Record<string, string> {
  const prefix = agent === undefined ? "" : `/agents/${encodeURIComponent(agent)}`;
  return {
    ANTHROPIC_BASE_URL: `${url}${prefix}`,
    ...(account === "key"
      ? { ANTHROPIC_API_KEY: rehearsalKey }
      : { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: rehearsalKey }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}
