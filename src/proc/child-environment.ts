export type Environment = Readonly<Record<string, string | undefined>>;

/** What any program needs to run as its user would run it. A trailing `*` matches any ending. */
export const baseVariables: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "LC_*",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "FORCE_COLOR",
  "TZ",
  "TMPDIR",
  "XDG_*",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_SYSTEM_CA",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "SSH_AUTH_SOCK",
];

/** What Claude Code reads besides: its own settings and the credentials of the clouds that it supports. */
export const claudeVariables: readonly string[] = [
  "ANTHROPIC_*",
  "CLAUDE_CODE_*",
  "CLAUDE_CONFIG_DIR",
  "CLAUDE_ENV_FILE",
  "CLAUDE_TMPDIR",
  "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
  "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR",
  "CLAUDE_STREAM_IDLE_TIMEOUT_MS",
  "API_TIMEOUT_MS",
  "BASH_DEFAULT_TIMEOUT_MS",
  "BASH_MAX_TIMEOUT_MS",
  "BASH_MAX_OUTPUT_LENGTH",
  "MAX_THINKING_TOKENS",
  "MAX_MCP_OUTPUT_TOKENS",
  "MAX_STRUCTURED_OUTPUT_RETRIES",
  "SLASH_COMMAND_TOOL_CHAR_BUDGET",
  "TASK_MAX_OUTPUT_LENGTH",
  "MCP_*",
  "DISABLE_*",
  "ENABLE_*",
  "OTEL_*",
  "USE_BUILTIN_RIPGREP",
  "IS_SANDBOX",
  "AWS_*",
  "CLOUD_ML_REGION",
  "VERTEX_REGION_*",
  "GOOGLE_*",
  "GCLOUD_PROJECT",
  "CLOUDSDK_*",
  "AZURE_*",
];

/**
 * Never inherited, whatever list is requested: the state of *one* running session. It is present when we were started
 * from a tool of a Claude Code session, and would make the new session believe that it is the old one, or resume a
 * turn without a message. A descriptor's number means nothing in another process.
 */
export const sessionVariables: readonly string[] = [
  "CLAUDE_CODE_SESSION_*",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_RESUME_*",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_SSE_PORT",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_BRIDGE_*",
  "CLAUDE_CODE_REMOTE*",
  "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR",
  "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
  "CLAUDE_CODE_GATEWAY_TOKEN_FILE_DESCRIPTOR",
];

interface EnvironmentRequest {
  /** Which variables may be inherited; `baseVariables` by default. */
  allow?: readonly string[];
  /** Set on top, without a check; `undefined` removes a variable. */
  extra?: Environment;
  source?: Environment;
}

/**
 * The environment of a child: only what is allowed by name, so that a secret in the user's shell does not reach a
 * program that does not need it.
 */
export function childEnvironment(request: EnvironmentRequest = {}): Record<string, string> {
  const { allow = baseVariables, extra = {}, source = process.env } = request;
  const inherited = Object.entries(source).filter(
    ([name]) => matches(name, allow) && !matches(name, sessionVariables),
  );
  return withoutUnset({ ...Object.fromEntries(inherited), ...extra });
}

/** Node writes an unset variable as the word "undefined"; here it is absent. */
export function withoutUnset(environment: Environment): Record<string, string> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) set[name] = value;
  }
  return set;
}

const matches = (name: string, list: readonly string[]): boolean =>
  list.some((entry) =>
    entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );
