import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import { stoppedTeam } from "./absent-team-errors.ts";

const note = {
  team: "shop",
  directory: "/projects/my shop",
  file: "/projects/my shop/team.yaml",
  state_dir: "/state",
};
const teamIn = (stateDir: string, more: object = {}) => ({
  name: "shop",
  stateDir,
  directories: [note.directory],
  note: { ...note, ...more },
});

test("stoppedTeam tells how to start a rehearsed team again with its script, never with the paid model", () => {
  const team = teamIn("/state", { rehearsal: "/projects/script.yaml" });
  expect(stoppedTeam(team, undefined)).toMatchObject({
    hint: "Start it with: cd '/projects/my shop' && switchboard up '/projects/my shop/team.yaml' --rehearsal /projects/script.yaml",
  });
});

test("stoppedTeam tells a team that was stopped from one whose first start failed", () => {
  const stateDir = memoryDir();
  expect(stoppedTeam(teamIn(stateDir), undefined)).toMatchObject({
    message: "The team shop of /projects/my shop has never run: its first start failed.",
  });
  writeFileSync(join(stateDir, "bus.db"), "");
  expect(stoppedTeam(teamIn(stateDir), undefined)).toMatchObject({
    message: "The team shop of /projects/my shop is stopped.",
  });
});
