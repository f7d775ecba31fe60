import { expect, test } from "vitest";
import { errorOf } from "../../src/wire/errors.ts";
import { FakeTeam } from "../support/fake-team.ts";
import { messageOf } from "../support/team-messages.ts";
import { TeamStage } from "../support/team-stage.ts";

const pair = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

test(
  "`switchboard log` exports the whole communication log, and prints its end by default",
  { timeout: 120_000 },
  async () => {
    const team = await FakeTeam.up(pair, {});
    const { communication } = team.running.teamRecords;
    const count = 2500;
    const sizes = Array.from({ length: count }, (_, index) => index);
    for (const size of sizes) {
      const message = messageOf({ content: "x".repeat(size) });
      if (size % 2) communication.delivered(message);
      else communication.failed(message, errorOf("not_allowed", "no"));
    }
    const stage = new TeamStage("", "");
    const read = async (...flags: string[]): Promise<string[]> => {
      const { out } = await stage.run("log", ...flags, "--state-dir", team.stateDir);
      return out.trim().split("\n");
    };
    const rows = (await read("--csv")).slice(1);
    expect(rows.map((row) => Number(row.split(",")[5]))).toEqual(sizes);
    expect(await read("--json", "--level", "ERROR")).toHaveLength(count / 2);
    expect(await read("--json", "--limit", "1200")).toHaveLength(1200);
    // For people: some, below a line of names.
    expect(await read()).toHaveLength(201);
  },
);
