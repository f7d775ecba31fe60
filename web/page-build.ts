import { resolve } from "node:path";

const source = (path: string): string => resolve(import.meta.dirname, "../src", path);

/** The page imports the public entries of the package, and a build takes their source. One package of others is replaced. */
export const pageAliases: Record<string, string> = {
  "agent-switchboard/wire": source("wire/index.ts"),
  "agent-switchboard/client/core": source("client/core.ts"),
  "agent-switchboard/team/core": source("team/core.ts"),
  // Its form for browsers writes to innerHTML.
  "decode-named-character-reference": resolve(
    import.meta.dirname,
    "src/markdown/named-characters.ts",
  ),
};

export const pageJsx = { runtime: "automatic", importSource: "preact" } as const;
