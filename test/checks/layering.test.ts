import { describe, expect, it } from "vitest";
import { globSync } from "node:fs";
import { checkLayering } from "../../scripts/checks/layering.ts";
import { doors, enclosures, layers } from "../../scripts/layers.ts";
import { plant, project } from "./sapling.ts";

const ground = {
  "src/wire/lines.ts": 'import { z } from "zod";\nexport const Line = z.string();\n',
  "src/net/connect-with-retries.ts":
    'import { Line } from "../wire/lines.ts";\nexport const dial = Line;\n',
  "src/proc/stop-in-stages.ts":
    'import { spawn } from "node:child_process";\nexport const stop = (name: string) => [spawn, name];\n',
  "src/cli/tools/load-tools.ts": "export const load = (name: string) => import(name);\n",
  "src/engine/locate-cli.ts":
    'import { createRequire } from "node:module";\nexport const find = createRequire(import.meta.url).resolve;\n',
  "src/bus/thread.ts":
    'export const files = [new URL("./worker.ts", import.meta.url), new URL("../../bin/x.js", import.meta.url)];\n',
  "src/bus/worker.ts": "export {};\n",
  "bin/x.js": "export {};\n",
  "src/engine/start.ts":
    'import type { Options } from "@anthropic-ai/claude-agent-sdk";\nimport { dial } from "../net/connect-with-retries.ts";\nexport const start = (options: Options) => [options, dial];\n',
  "src/wire/lines.test.ts":
    'import { it } from "vitest";\nimport "node:child_process";\nimport "../../test/support/x.ts";\nit("x", (name: string) => import(name));\n',
  "test/support/x.ts": "export const x = 1;\n",
};

const violations: [kind: string, files: Record<string, string>, reason: RegExp][] = [
  [
    "an import that points up",
    { "src/net/up.ts": 'import { start } from "../engine/start.ts";\nexport const up = start;\n' },
    /^src\/net\/up\.ts → src\/engine\/start\.ts: net may import only from [a-z, -]+, net\.$/,
  ],
  [
    "an import that goes through no door",
    {
      "src/bus/bus.ts": "export const port = 1;\n",
      "src/bus/stored.ts": "export const stored = 1;\n",
      "src/team/index.ts": 'import { port } from "../bus/bus.ts";\nexport const team = port;\n',
      "src/team/deep.ts":
        'import { stored } from "../bus/stored.ts";\nexport const deep = stored;\n',
    },
    /^src\/team\/deep\.ts → src\/bus\/stored\.ts: bus is imported through its doors: bus\.ts, /,
  ],
  [
    "an import of only a type that goes through no door",
    {
      "src/engine/inner/wheel.ts": "export type Wheel = 1;\n",
      "src/session/turn.ts":
        'import type { Wheel } from "../engine/inner/wheel.ts";\nexport type Turn = Wheel;\n',
    },
    /^src\/session\/turn\.ts → src\/engine\/inner\/wheel\.ts: engine is imported through its doors: /,
  ],
  [
    "an import of a file beside the door",
    {
      "src/engine/index.ts": 'export type { Event } from "./events.ts";\n',
      "src/engine/events.ts": "export type Event = 1;\n",
      "src/model/model.ts":
        'import type { Event } from "../engine/index.ts";\nexport type Model = Event;\n',
      "src/session/turn.ts":
        'import type { Event } from "../engine/events.ts";\nexport type Turn = Event;\n',
    },
    /^src\/session\/turn\.ts → src\/engine\/events\.ts: engine is imported through its doors: index\.ts, /,
  ],
  [
    "an import of the inside of net",
    {
      "src/net/connect-once.ts": "export const connect = 1;\n",
      "src/client/link.ts":
        'import { connect } from "../net/connect-once.ts";\nexport const link = connect;\n',
    },
    /^src\/client\/link\.ts → src\/net\/connect-once\.ts: net is imported through its doors: channel\.ts, /,
  ],
  [
    "a lazy import that goes through no door",
    {
      "src/team/hidden.ts": "export const hidden = 1;\n",
      "src/cli/deep.ts": 'export const deep = () => import("../team/hidden.ts");\n',
    },
    /^src\/cli\/deep\.ts → src\/team\/hidden\.ts: team is imported through its doors: /,
  ],
  [
    "an import of only a type that points up",
    {
      "src/net/up.ts":
        'import type { start } from "../engine/start.ts";\nexport type Up = typeof start;\n',
    },
    /src\/net\/up\.ts → src\/engine\/start\.ts/,
  ],
  [
    "a lazy import that points up",
    { "src/net/up.ts": 'export const up = () => import("../engine/start.ts");\n' },
    /src\/net\/up\.ts → src\/engine\/start\.ts/,
  ],
  [
    "a re-export that points up",
    { "src/net/up.ts": 'export * from "../engine/start.ts";\n' },
    /src\/net\/up\.ts → src\/engine\/start\.ts/,
  ],
  [
    "a type named where it is used that points up",
    { "src/net/up.ts": 'export type Up = typeof import("../engine/start.ts").start;\n' },
    /src\/net\/up\.ts → src\/engine\/start\.ts/,
  ],
  ...(
    [
      ["a template", "export const up = () => import(`../engine/start.ts`);"],
      ["parentheses", 'export const up = () => import(("../engine/start.ts"));'],
      [
        "a type that was asserted",
        'export const up = () => import("../engine/start.ts" as string);',
      ],
      [
        "a choice",
        'export const up = (a: 1) => import(a ? "./connect-with-retries.ts" : "../engine/start.ts");',
      ],
      ["require", 'export const up = () => require("../engine/start.ts");'],
      ["a reference", '/// <reference path="../engine/start.ts" />'],
      ["a module that is added to", 'declare module "../engine/start.ts" { export const x: 1; }'],
      ["the file of a worker", 'new Worker(new URL("../engine/start.ts", import.meta.url));'],
    ] as const
  ).map(([way, text]): (typeof violations)[number] => [
    `an import that points up, by ${way}`,
    { "src/net/up.ts": `${text}\nexport {};\n` },
    /^src\/net\/up\.ts → src\/engine\/start\.ts: net may import only from/,
  ]),
  ...["mjs", "cjs", "jsx"].map((ending): (typeof violations)[number] => [
    `an import that points up, in a file .${ending}`,
    { [`src/net/up.${ending}`]: 'import("../engine/start.ts");\n' },
    /^src\/net\/up\.\w+ → src\/engine\/start\.ts: net may import only from/,
  ]),
  ...(
    [
      ["joins its name", 'import("../engine/" + "start.ts");'],
      ["fills in its name", "import(`../${process.platform}/start.ts`);"],
      ["makes a require", 'import { createRequire } from "node:module";\ncreateRequire("x");'],
      ["asks Node for a module", 'process.getBuiltinModule("child_process");'],
      ["asks for it by its name", 'process["getBuiltinModule"]("child_process");'],
      ["takes Node's loader out", "const { getBuiltinModule: load } = process;\nload;"],
    ] as const
  ).map(([what, text]): (typeof violations)[number] => [
    `a program that ${what}`,
    { "src/net/blind.ts": `${text}\nexport {};\n` },
    /^src\/net\/blind\.ts → .*: what is loaded so cannot be checked\.$/,
  ]),
  ...["/etc/x.ts", "file:///etc/x.ts", "data:text/javascript,1", "#engine"].map(
    (name): (typeof violations)[number] => [
      `an import of ${name}`,
      { "src/net/far.ts": `import "${name}";\n` },
      /^src\/net\/far\.ts → .*: this import leads nowhere that can be checked\.$/,
    ],
  ),
  ...(
    [
      ["a team", "src/team/core.ts"],
      ["a session", "src/session/index.ts"],
      ["the engine", "src/engine/index.ts"],
      ["the bus", "src/bus/bus.ts"],
    ] as const
  ).map(([what, file]): (typeof violations)[number] => [
    `an import of ${what} in the gateway, which only knows sockets`,
    {
      [file]: "export type Inside = 1;\n",
      "src/gateway/deep.ts": `export type { Inside } from "../${file.slice("src/".length)}";\n`,
    },
    /^src\/gateway\/deep\.ts → .*: gateway may import only from text, time, wire, files, log, net, proc, client, gateway\.$/,
  ]),
  [
    "an import between folders of one rank",
    {
      "src/net/beside.ts":
        'import { stop } from "../proc/stop-in-stages.ts";\nexport const beside = stop;\n',
    },
    /src\/net\/beside\.ts → src\/proc\/stop-in-stages\.ts: net may import only/,
  ],
  [
    "the Agent SDK outside engine",
    {
      "src/cli/sdk.ts":
        'import type { Options } from "@anthropic-ai/claude-agent-sdk";\nexport type O = Options;\n',
    },
    /src\/cli\/sdk\.ts → .*only engine may import @anthropic-ai\/claude-agent-sdk\./,
  ],
  ...["node:child_process", "child_process"].map((name): (typeof violations)[number] => [
    `a child process outside proc, by ${name}`,
    { "src/net/child.ts": `import { spawn } from "${name}";\nexport const child = spawn;\n` },
    /^src\/net\/child\.ts → .*: only proc may import (node:)?child_process\.$/,
  ]),
  [
    "a package but zod in wire",
    { "src/wire/log.ts": 'import pino from "pino";\nexport const log = pino;\n' },
    /src\/wire\/log\.ts → .*from outside, wire may import only zod\./,
  ],
  [
    "a module of Node in wire",
    {
      "src/wire/file.ts":
        'import { readFileSync } from "node:fs";\nexport const file = readFileSync;\n',
    },
    /src\/wire\/file\.ts → .*from outside, wire may import only zod\./,
  ],
  ...(
    [
      ["the adapter of this machine", "export { host }"],
      ["a type of that adapter", "export type { Host }"],
    ] as const
  ).map(([what, text]): (typeof violations)[number] => [
    `${what} above the port of a team's agents`,
    {
      "src/team/host/local/local-host.ts": "export type Host = 1;\nexport const host = 1;\n",
      "src/team/start-team.ts": 'export { host } from "./host/local/local-host.ts";\n',
      "src/team/running.ts": `${text} from "./host/local/local-host.ts";\n`,
    },
    /^src\/team\/running\.ts → src\/team\/host\/local\/local-host\.ts: in src\/team\/ only .*start-team\.ts.* may import this\.$/,
  ]),
  [
    "a process of this machine above the port of a team's agents",
    {
      "src/proc/start-child.ts": "export const startChild = 1;\n",
      "src/team/host/local/child.ts":
        'import { startChild } from "../../../proc/start-child.ts";\nexport const child = startChild;\n',
      "src/team/agents/child.ts":
        'import { startChild } from "../../proc/start-child.ts";\nexport const child = startChild;\n',
    },
    /^src\/team\/agents\/child\.ts → src\/proc\/start-child\.ts: in src\/team\/ only src\/team\/host\/local\/.* may import this\.$/,
  ],
  [
    "a socket of this machine above the port of a team's agents",
    {
      "src/net/channel.ts": "export const channel = 1;\n",
      "src/net/connect-with-retries.ts": "export const dial = 1;\n",
      "src/team/agents/connect.ts":
        'import { channel } from "../../net/channel.ts";\nimport { dial } from "../../net/connect-with-retries.ts";\nexport const both = [channel, dial];\n',
    },
    /^src\/team\/agents\/connect\.ts → src\/net\/connect-with-retries\.ts: in src\/team\/ only /,
  ],
  [
    "Node's own sockets above the port of a team's agents",
    {
      "src/team/agents/raw.ts":
        'import { connect } from "node:net";\nexport const raw = connect;\n',
    },
    /^src\/team\/agents\/raw\.ts → .*net: in src\/team\/ only /,
  ],
  [
    "a cycle",
    {
      "src/net/egg.ts": 'import { hen } from "./hen.ts";\nexport const egg = () => hen;\n',
      "src/net/hen.ts": 'import { egg } from "./egg.ts";\nexport const hen = () => egg;\n',
    },
    /: these imports form a cycle\.$/,
  ],
  [
    "a cycle of types",
    {
      "src/net/egg.ts": 'import type { Hen } from "./hen.ts";\nexport type Egg = { hen: Hen };\n',
      "src/net/hen.ts": 'import type { Egg } from "./egg.ts";\nexport type Hen = { egg: Egg };\n',
    },
    /: these imports form a cycle\.$/,
  ],
  [
    "a test imported by the program",
    { "src/net/tested.ts": 'import "../wire/lines.test.ts";\n' },
    /src\/net\/tested\.ts → src\/wire\/lines\.test\.ts: the program must not import its tests\./,
  ],
  [
    "test support imported by the program",
    { "src/net/tested.ts": 'export * from "../../test/support/x.ts";\n' },
    /src\/net\/tested\.ts → test\/support\/x\.ts: the program must not import its tests\./,
  ],
  [
    "the package imported by its own name",
    { "src/net/self.ts": 'export * from "agent-switchboard/engine";\n' },
    /src\/net\/self\.ts → agent-switchboard: src\/ imports itself by relative path\./,
  ],
  [
    "the built program imported by its source",
    { "src/net/built.ts": 'export * from "../../dist/x.js";\n', "dist/x.js": "export {};\n" },
    /src\/net\/built\.ts → dist\/x\.js: the program must not import what is outside src\/\./,
  ],
  [
    "an import of a file that is not there",
    { "src/net/lost.ts": 'export * from "./nowhere.ts";\n' },
    /src\/net\/lost\.ts → src\/net\/nowhere\.ts: this import leads nowhere/,
  ],
  [
    "a folder that is no layer",
    { "src/utils/x.ts": "export const x = 1;\n" },
    /src\/utils\/x\.ts is in no layer/,
  ],
  [
    "a file beside the layers",
    { "src/x.ts": "export const x = 1;\n" },
    /src\/x\.ts is in no layer/,
  ],
];

describe("layering", () => {
  it("accepts a tree whose imports all point down", async () => {
    expect(await checkLayering(plant(ground))).toEqual([]);
  });

  it.each(violations)("refuses %s", async (_kind, files, reason) => {
    const problems = await checkLayering(plant({ ...ground, ...files }));
    expect(problems).toEqual([expect.stringMatching(reason)]);
  });

  it("refuses a project in which there is nothing to read", async () => {
    expect(await checkLayering(plant({}))).toEqual([
      expect.stringContaining("nothing was checked"),
    ]);
  });

  it("refuses a file that it cannot read", async () => {
    const files = { ...ground, "src/net/torn.ts": "<<<<<<< torn\n" };
    await expect(checkLayering(plant(files))).rejects.toThrow("src/net/torn.ts cannot be read");
  });

  it("names only files that exist as those that may import what others of their folder may not", () => {
    const paths = enclosures.flatMap(({ only }) => [...only]);
    expect(paths.filter((path) => globSync(path, { cwd: project }).length === 0)).toEqual([]);
  });

  it("has only doors that are files of a layer", () => {
    expect(Object.keys(doors).filter((layer) => !layers.includes(layer))).toEqual([]);
    const paths = Object.entries(doors).flatMap(([layer, files]) =>
      files.map((file) => `src/${layer}/${file}`),
    );
    expect(paths.filter((path) => globSync(path, { cwd: project }).length === 0)).toEqual([]);
  });
});
