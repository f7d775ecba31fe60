import * as z from "zod";
import { expect, test } from "vitest";
import { isRecord } from "../json.ts";
import { TeamStatusSchema } from "./control-methods.ts";
import { TeamEventSchema } from "./events.ts";
import { readResults } from "./read-results.ts";

const isTime = /^(?:at|since|until|next|timestamp|deadline|.*_at)$/;

/** Every string in a schema whose name is that of a time, with its path. */
function* timesIn(schema: unknown, path = ""): Generator<{ path: string; value: unknown }> {
  if (!isRecord(schema)) return;
  for (const [name, value] of Object.entries(schema)) {
    const isText = isRecord(value) && value["type"] === "string";
    if (isTime.test(name) && isText) yield { path: `${path}/${name}`, value };
    yield* timesIn(value, `${path}/${name}`);
  }
}

const { timeline, tasks, task, log_stats } = readResults;
const parts = {
  events: TeamEventSchema,
  status: TeamStatusSchema,
  timeline,
  tasks,
  task,
  log_stats,
};

test.for(Object.entries(parts))("every time in %s of a team has a zone", ([, schema]) => {
  const json = z.toJSONSchema(schema, { unrepresentable: "any", io: "input" });
  const times = [...timesIn(json)];
  expect(times.length).toBeGreaterThan(0);
  const open = times.filter(({ value }) => {
    const { pattern = "" } = value as { pattern?: string };
    // A schema without a pattern would take any text.
    return pattern === "" || new RegExp(pattern).test("2026-11-18T10:00:00");
  });
  expect(open).toEqual([]);
});
