import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { parseTeam } from "../../file/load-team.ts";
import { checkCredentials } from "./check-credentials.ts";

const teamWith = (isolation: string) =>
  parseTeam(
    `{ name: t, lead: a, agents: { a: { description: d, prompt: p, isolation: ${isolation} } } }`,
    "t.yaml",
    "/",
  );

test("checkCredentials returns an error that names the ways to log in, and nothing with a key or a login", () => {
  const HOME = tempDir();
  expect(checkCredentials(teamWith("config"), { HOME })).toMatchObject({
    code: "no_credentials",
    message: expect.stringContaining("No credentials for a."),
    hint: expect.stringMatching(
      /ANTHROPIC_API_KEY.*CLAUDE_CODE_OAUTH_TOKEN.*isolation: shared.*--rehearsal/,
    ),
  });
  for (const key of ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"]) {
    expect(checkCredentials(teamWith("config"), { HOME, [key]: "x" })).toBeUndefined();
  }
  expect(checkCredentials(teamWith("shared"), { HOME })?.code).toBe("no_credentials");
  writeFileSync(join(HOME, ".claude.json"), JSON.stringify({ oauthAccount: {} }));
  expect(checkCredentials(teamWith("shared"), { HOME })).toBeUndefined();
  // Its own configuration has no login, although the person has one.
  expect(checkCredentials(teamWith("home"), { HOME })?.code).toBe("no_credentials");
});
