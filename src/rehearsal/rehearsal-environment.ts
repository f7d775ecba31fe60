/** The key that clients of a rehearsal send. It opens nothing. */
const rehearsalKey = "rehearsal";

/** The variables that make the Claude Code CLI, or any client of the Messages API, talk to a rehearsal. */
export function rehearsalEnvironment(
  url: string,
  { agent }: { agent?: string } = {},
): Record<string, string> {
  const prefix = agent === undefined ? "" : `/agents/${encodeURIComponent(agent)}`;
  return {
    ANTHROPIC_BASE_URL: `${url}${prefix}`,
    ANTHROPIC_API_KEY: rehearsalKey,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  };
}
