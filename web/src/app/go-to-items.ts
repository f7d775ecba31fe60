/** Something that a person can go to. */
export interface Destination {
  readonly kind: "view" | "agent" | "task" | "message";
  readonly text: string;
  /** Who is concerned, or what state it is in. */
  readonly more: string;
  readonly path: string;
}

const MAX_FOUND = 50;
const normal = (text: string): string => text.normalize("NFKC").toLowerCase();

/** Those in which every word of the query stands, those that begin with the query first. */
export function found(all: readonly Destination[], query: string): readonly Destination[] {
  const words = normal(query)
    .split(/\s+/)
    .filter((word) => word !== "");
  const [first = ""] = words;
  if (words.length === 0) return all.filter(({ kind }) => kind === "view" || kind === "agent");
  const hits = all.filter((each) => {
    const text = normal(`${each.text} ${each.more}`);
    return words.every((word) => text.includes(word));
  });
  const begins = (each: Destination): number => (normal(each.text).startsWith(first) ? 0 : 1);
  return hits.toSorted((one, other) => begins(one) - begins(other)).slice(0, MAX_FOUND);
}
