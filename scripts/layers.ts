/**
 * The map of src/. A folder is a layer; its files may import from the rows above its own, never from
 * their own row's other folders and never from below.
 */
const ranks = [
  ["wire"],
  ["log"],
  ["net", "proc"],
  ["bridge", "client", "bus", "rehearsal"],
  ["engine"],
  ["session", "model"],
  ["team"],
  ["gateway"],
  ["cli"],
] as const satisfies readonly (readonly string[])[];

/**
 * What only one layer may import from outside: because everything else must stay independent of it, or
 * because only there children are started so that they die with us. Tests may start what they like. What is
 * not in src/ is free: benches measure the bare SDK beside ours, and tests and examples show it our tools.
 */
export const soleImporters = [
  { layer: "engine", dependency: "@anthropic-ai/claude-agent-sdk", testsToo: true },
  { layer: "proc", dependency: "node:child_process", testsToo: false },
  { layer: "proc", dependency: "child_process", testsToo: false },
] as const;

/** Programs that load what no check can know: a module of their user, or where the CLI's package lies. */
export const blindLoaders: readonly string[] = [
  "src/cli/load-tools.ts",
  "src/engine/locate-cli.ts",
  "src/rehearsal/load-script.ts",
];

/** Layers that run in a browser too, with all that they may import from outside. */
export const closedLayers = [{ layer: "wire", dependencies: ["zod"] }] as const;

export const layers: readonly string[] = ranks.flat();

/** The folders that a layer may import from, itself included. */
export function reachableFrom(layer: string): string[] {
  const rank = ranks.findIndex((row: readonly string[]) => row.includes(layer));
  return [...ranks.slice(0, Math.max(rank, 0)).flat(), layer];
}
