import { build } from "esbuild";
import { expect, it } from "vitest";
import { project } from "./sapling.ts";

/** Every file and package that is loaded together with this file; what is imported later does not count. */
async function loadedWith(entry: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    packages: "external",
    outdir: "out",
    logLevel: "silent",
  });
  const seen = new Set<string>();
  const waiting = [entry];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    const imports = metafile.inputs[file]?.imports ?? [];
    const now = imports.filter(({ kind }) => kind !== "dynamic-import");
    waiting.push(...now.map(({ path }) => path));
  }
  return [...seen];
}

// Every call pays for what it loads: status and approve are called all day long.
it.each(["src/cli/switchboard.ts", "src/cli/team/status.ts", "src/cli/team/decide-request.ts"])(
  "%s starts without the layers that only a team's own process needs",
  async (entry) => {
    const loaded = await loadedWith(entry);
    expect(loaded).toContain(entry);
    const heavy =
      /^src\/(bridge|bus|engine|rehearsal|model|session\/(core|host|log|serve)|team\/(agents|delivery|rules|file))\//;
    expect(loaded.filter((file) => heavy.test(file))).toEqual([]);
  },
);

it.each(["src/cli/switchboard.ts", "src/cli/team/status.ts"])(
  "%s starts without zod, which takes longer to load than the command",
  async (entry) => {
    expect(await loadedWith(entry)).not.toContain("zod");
  },
);

// Only a bus that is opened on NATS loads what talks to it, in the thread of its database.
it.each([
  "src/cli/team/up.ts",
  "src/cli/team/office.ts",
  "src/cli/team/bus.ts",
  "src/bus/sqlite/worker.ts",
  "src/bus/jetstream/open-nats-bus.ts",
])("%s is loaded without the NATS client", async (entry) => {
  const loaded = await loadedWith(entry);
  expect(loaded).toContain(entry);
  expect(loaded.filter((file) => file.includes("@nats-io"))).toEqual([]);
});

it("src/bus/jetstream/open-jetstream.ts is loaded with the NATS client", async () => {
  expect(await loadedWith("src/bus/jetstream/open-jetstream.ts")).toContain("@nats-io/jetstream");
});
