import { childEnvironment } from "../proc/child-environment.ts";
import { baseVariables, claudeVariables } from "../proc/inherited-variables.ts";

/**
 * How often the CLI tries a request to the API again. The user's environment may override this. The CLI's default is
 * ten, with which it takes three minutes to report a wrong key; four take about ten seconds.
 */
const DEFAULT_RETRIES = "4";

/** The environment that a CLI is started with: what it may have of ours, what recovery needs, and `extra`. */
export const cliEnvironment = (extra: Record<string, string>): Record<string, string> =>
  childEnvironment({
    allow: [...baseVariables, ...claudeVariables],
    source: { CLAUDE_CODE_MAX_RETRIES: DEFAULT_RETRIES, ...process.env },
    extra: {
      // Messages are in the transcript within milliseconds, and tool calls before a person is asked; recovery reads
      // both from there.
      CLAUDE_CODE_EAGER_FLUSH: "1",
      CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
      ...extra,
    },
  });
