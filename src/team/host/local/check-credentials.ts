import { existsSync } from "node:fs";
import { join } from "node:path";
import { claudeConfig, readJsonObject } from "../../../claude-config/claude-config.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { Team } from "../../file/team.ts";
import type { Refusal } from "../../rules/refusal.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Each of them is enough on its own. */
const keys = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
];

/** Checks that the agents of this team can log in: better once, now, than five times in each agent's log. */
export function checkCredentials(team: Team, env: Variables = process.env): Refusal {
  if (keys.some((key) => env[key])) return undefined;
  const here = [...team.agents.values()].filter(({ placement }) => placement === undefined);
  const own = here.filter(({ isolation }) => isolation !== "shared");
  if (here.length === 0 || (own.length === 0 && hasLogin(env))) return undefined;
  const who = own.length > 0 ? own.map(({ id }) => id).join(", ") : "The person who starts it";
  const why =
    own.length > 0
      ? "An agent with a configuration of its own does not see your login"
      : "There is no login in your Claude Code configuration";
  return errorOf("no_credentials", `No credentials for ${who}. ${why}, and no key is set.`, {
    data: { agents: own.map(({ id }) => id) },
  });
}

function hasLogin(env: Variables): boolean {
  const { directory, globalFile } = claudeConfig(env);
  if (existsSync(join(directory, ".credentials.json"))) return true;
  const { oauthAccount, primaryApiKey } = readJsonObject(globalFile);
  return oauthAccount !== undefined || primaryApiKey !== undefined;
}
