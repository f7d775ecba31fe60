import { expect, test } from "vitest";
import { childEnvironment } from "./child-environment.ts";
import { baseVariables, claudeVariables, sessionVariables } from "./inherited-variables.ts";

const shell = {
  PATH: "/usr/bin",
  HOME: "/home/ada",
  LC_TIME: "de_DE.UTF-8",
  https_proxy: "http://proxy",
  ANTHROPIC_API_KEY: "key",
  AWS_SECRET_ACCESS_KEY: "aws",
  GITHUB_TOKEN: "token",
  DATABASE_PASSWORD: "password",
  NODE_OPTIONS: "--inspect",
  SWITCHBOARD_TREE: "1-2-3/0-1",
  SWITCHBOARD_STATE: "internal",
  CLAUDECODE: "1",
  CLAUDE_CODE_USE_BEDROCK: "1",
  CLAUDE_CODE_SESSION_ID: "another session",
  CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1",
  LD_PRELOAD: "evil.so",
  BASH_ENV: "evil.sh",
  LOGNAME: undefined,
};

test("a plain child gets the base variables and no credential", () => {
  expect(childEnvironment({ source: shell })).toEqual({
    PATH: "/usr/bin",
    HOME: "/home/ada",
    LC_TIME: "de_DE.UTF-8",
    https_proxy: "http://proxy",
  });
});

test("Claude Code gets its own settings and credentials besides, but no other session's state", () => {
  const allow = [...baseVariables, ...claudeVariables];
  expect(childEnvironment({ allow, source: shell })).toEqual({
    PATH: "/usr/bin",
    HOME: "/home/ada",
    LC_TIME: "de_DE.UTF-8",
    https_proxy: "http://proxy",
    ANTHROPIC_API_KEY: "key",
    AWS_SECRET_ACCESS_KEY: "aws",
    CLAUDE_CODE_USE_BEDROCK: "1",
  });
});

test("a variable that is set explicitly is passed whatever its name, and undefined removes it", () => {
  const extra = { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1", HOME: undefined, EMPTY: "" };
  const source = { PATH: "/usr/bin", HOME: "/home/ada" };
  expect(childEnvironment({ extra, source })).toEqual({
    PATH: "/usr/bin",
    CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1",
    EMPTY: "",
  });
});

test("childEnvironment reads the process's own environment by default", () => {
  expect(childEnvironment()["PATH"]).toBe(process.env["PATH"]);
});

// Literally, so that a list is not widened by accident.
test("baseVariables and claudeVariables list the variables that are passed", () => {
  expect(baseVariables.join(" ")).toBe(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TERM COLORTERM NO_COLOR FORCE_COLOR TZ TMPDIR XDG_* " +
      "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy " +
      "NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA SSL_CERT_FILE SSL_CERT_DIR SSH_AUTH_SOCK",
  );
  expect(claudeVariables.join(" ")).toBe(
    "ANTHROPIC_* CLAUDE_CODE_* CLAUDE_CONFIG_DIR CLAUDE_ENV_FILE CLAUDE_TMPDIR CLAUDE_AUTOCOMPACT_PCT_OVERRIDE " +
      "CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR CLAUDE_STREAM_IDLE_TIMEOUT_MS API_TIMEOUT_MS " +
      "BASH_DEFAULT_TIMEOUT_MS BASH_MAX_TIMEOUT_MS BASH_MAX_OUTPUT_LENGTH MAX_THINKING_TOKENS " +
      "MAX_MCP_OUTPUT_TOKENS MAX_STRUCTURED_OUTPUT_RETRIES SLASH_COMMAND_TOOL_CHAR_BUDGET " +
      "TASK_MAX_OUTPUT_LENGTH MCP_* DISABLE_* ENABLE_* OTEL_* USE_BUILTIN_RIPGREP IS_SANDBOX AWS_* " +
      "CLOUD_ML_REGION VERTEX_REGION_* GOOGLE_* GCLOUD_PROJECT CLOUDSDK_* AZURE_*",
  );
  expect(sessionVariables.join(" ")).toBe(
    "CLAUDE_CODE_SESSION_* CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_RESUME_* CLAUDE_CODE_ENTRYPOINT " +
      "CLAUDE_CODE_SSE_PORT CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_BRIDGE_* CLAUDE_CODE_REMOTE* " +
      "CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR " +
      "CLAUDE_CODE_GATEWAY_TOKEN_FILE_DESCRIPTOR",
  );
});
