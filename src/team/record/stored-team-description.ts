import type { Records, Write } from "../../bus/records.ts";
import type { JsonObject } from "../../wire/json.ts";
import type { TeamDescription } from "../../wire/team/read-results.ts";
import { TeamDescriptionSchema } from "../../wire/team/read-results.ts";

const COLLECTION = "team-description";
const KEY = "loaded";

/** Keeps what the team file said when the team was started, for readers of a stopped team. */
export const keepDescription = (description: TeamDescription): Write => ({
  kind: "put",
  collection: COLLECTION,
  key: KEY,
  value: description as JsonObject,
});

/** Undefined when only an earlier version has run the team. */
export async function storedDescription(
  records: Pick<Records, "get">,
): Promise<TeamDescription | undefined> {
  const row = await records.get(COLLECTION, KEY);
  return TeamDescriptionSchema.safeParse(row?.value).data;
}
