/** A path with what is compared of it, computed once: a person's every letter is a comparison with all of them. */
export interface IndexedPath {
  readonly path: string;
  readonly lower: string;
  /** How many directories it is in. */
  readonly depth: number;
}

/** Adds the directories of the files. A directory ends with a slash. */
export function indexPaths(paths: readonly string[]): IndexedPath[] {
  const all = new Set(paths);
  for (const path of paths) {
    for (let end = parentEnd(path); end !== -1; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end + 1);
      // Its own parents are there already.
      if (all.has(directory)) break;
      all.add(directory);
      if (end === 0) break;
    }
  }
  return [...all].map((path) => ({ path, lower: path.toLowerCase(), depth: depthOf(path) }));
}

/** Where the slash stands that ends the directory of a path; -1 at the top. */
const parentEnd = (path: string): number => path.lastIndexOf("/", path.length - 2);

function depthOf(path: string): number {
  let depth = 0;
  for (
    let at = path.indexOf("/");
    at !== -1 && at < path.length - 1;
    at = path.indexOf("/", at + 1)
  )
    depth += 1;
  return depth;
}

/**
 * The paths that fit what a person has typed, the best first: those that begin with it, then those whose name does, then
 * those that contain it. Among equals, the one nearest to the top comes first, then the shorter one. The case of letters
 * counts only among equals. Few of them are read, so they are sorted only as far as they are.
 */
export function* rankPaths(paths: readonly IndexedPath[], typed: string): Generator<string> {
  const wanted = typed.toLowerCase();
  const groups = new Map<number, IndexedPath[]>();
  for (const path of paths) {
    const rank = rankOf(path, typed, wanted);
    if (rank === undefined) continue;
    const group = rank * RANK + path.depth;
    const known = groups.get(group);
    if (known) known.push(path);
    else groups.set(group, [path]);
  }
  for (const group of [...groups.keys()].toSorted((a, b) => a - b)) {
    yield* (groups.get(group) ?? []).toSorted(byLength).map(({ path }) => path);
  }
}

/** More than the depth of any path. */
const RANK = 1_000_000;

const byLength = (a: IndexedPath, b: IndexedPath): number =>
  a.path.length - b.path.length || (a.path < b.path ? -1 : 1);

function rankOf({ path, lower }: IndexedPath, typed: string, wanted: string): number | undefined {
  if (path.startsWith(typed)) return 0;
  if (lower.startsWith(wanted)) return 1;
  if (!lower.includes(wanted)) return undefined;
  return lower.startsWith(wanted, parentEnd(lower) + 1) ? 2 : 3;
}
