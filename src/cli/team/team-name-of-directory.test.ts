import * as fc from "fast-check";
import { expect, test } from "vitest";
import { AgentIdSchema } from "../../wire/team/messages.ts";
import { teamNameOf } from "./team-name-of-directory.ts";

test("a team is named after its directory", () => {
  expect(teamNameOf("slug")).toBe("slug");
  expect(teamNameOf("My Café (2)")).toBe("My-Cafe-2");
  expect(teamNameOf(".config")).toBe("config");
  expect(teamNameOf("日本")).toBe("my-team");
  expect(teamNameOf("")).toBe("my-team");
});

test("any directory has a valid team name", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (directory) => {
      expect(AgentIdSchema.safeParse(teamNameOf(directory)).success).toBe(true);
    }),
  );
});
