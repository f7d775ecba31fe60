import type { CommunicationEntry } from "agent-switchboard/team/core";
import type { Sorting } from "../ui/table.tsx";

type Value = string | number;

const valueOf: Readonly<Record<string, (entry: CommunicationEntry) => Value>> = {
  time: ({ timestamp }) => Date.parse(timestamp),
  from: ({ from_agent }) => from_agent,
  to: ({ to_agent }) => to_agent,
  type: ({ message_type }) => message_type,
  size: ({ message_size }) => message_size,
  took: ({ duration_ms }) => duration_ms ?? -1,
  outcome: ({ success, error }) => (success ? "" : (error ?? "-")),
};

export const newestFirst: Sorting = { key: "time", isDescending: true };

/** The entries by a column; equal ones stay in their order. */
export function sortEntries(
  entries: readonly CommunicationEntry[],
  { key, isDescending }: Sorting,
): readonly CommunicationEntry[] {
  const read = valueOf[key];
  if (!read) return entries;
  const sign = isDescending ? -1 : 1;
  return entries.toSorted((a, b) => {
    const [one, other] = [read(a), read(b)];
    if (one === other) return 0;
    return (one < other ? -1 : 1) * sign;
  });
}

/** A press on a column's head: the same column turns round, another one begins with what one looks for there. */
export const nextSorting = (now: Sorting, key: string): Sorting =>
  now.key === key
    ? { key, isDescending: !now.isDescending }
    : { key, isDescending: key === "time" || key === "size" || key === "took" };
