const MAX_CHARS = 64;

/** A valid team name, as close as possible to the directory's. */
export function teamNameOf(directory: string): string {
  const name = directory
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, MAX_CHARS)
    .replace(/[-_]+$/, "");
  return name === "" ? "my-team" : name;
}
