import { join } from "node:path";

/** The segment that is written to. Older ones carry the number of their first event. */
const CURRENT = "events.jsonl";

export const currentPath = (directory: string): string => join(directory, CURRENT);
