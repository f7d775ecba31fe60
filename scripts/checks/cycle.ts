/** A path along the edges that ends where it began, or nothing when there is none. */
export function findCycle(edges: readonly { from: string; to: string }[]): string[] | undefined {
  const next = Map.groupBy(edges, ({ from }) => from);
  const done = new Set<string>();

  const walk = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const { to } of next.get(node) ?? []) {
      const cycle = walk(to, [...path, node]);
      if (cycle) return cycle;
    }
    done.add(node);
    return undefined;
  };

  for (const node of next.keys()) {
    const cycle = walk(node, []);
    if (cycle) return cycle;
  }
  return undefined;
}
