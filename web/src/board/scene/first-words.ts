const MAX = 160;

/** The beginning of a text on one line. */
export function firstWords(text: string): string {
  const line = text
    .slice(0, 4 * MAX)
    .replace(/\s+/g, " ")
    .trim();
  const letters = Array.from(line);
  return letters.length > MAX ? `${letters.slice(0, MAX - 1).join("")}…` : line;
}
