import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const project = resolve(import.meta.dirname, "../..");
const home = realpathSync(mkdtempSync(join(tmpdir(), "package-user-")));
const installed = join(home, "node_modules/agent-switchboard");
const entries = ["wire", "client", "bridge", "session", "team", "model", "rehearsal"];
let packed: string[];

/** Installs the packed package as a user would get it, with our copies of its dependencies. */
beforeAll(() => {
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", home];
  const report = execFileSync("npm", pack, {
    cwd: project,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [tarball] = JSON.parse(report) as [{ filename: string; files: { path: string }[] }];
  packed = tarball.files.map(({ path }) => path);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", [
    "-xzf",
    join(home, tarball.filename),
    "-C",
    installed,
    "--strip-components=1",
  ]);
  const manifest = readFileSync(join(project, "package.json"), "utf8");
  for (const name of Object.keys((JSON.parse(manifest) as { dependencies: object }).dependencies)) {
    const link = join(home, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(project, "node_modules", name), link);
  }
  writeFileSync(join(home, "package.json"), '{ "type": "module" }\n');
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What the compiler says to a user without the DOM's types. */
function complaints(source: string): string {
  writeFileSync(join(home, "use.ts"), source);
  const types = ["--types", "node", "--typeRoots", join(project, "node_modules/@types")];
  const flags = ["--strict", "--module", "nodenext", "--target", "es2024", "--lib", "es2024"];
  const tsc = ["--noEmit", ...flags, ...types, "use.ts"];
  const command = join(project, "node_modules/.bin/tsc");
  return spawnSync(command, tsc, { cwd: home, encoding: "utf8" }).stdout;
}

describe("the packed package", () => {
  it("holds what its users need, and nothing of its making", () => {
    const stray = packed.filter(
      (path) =>
        !/^(bin|dist|schema|docs|examples|claude-plugin)\/|^(package\.json|README\.md|LICENSE|CHANGELOG\.md)$/.test(
          path,
        ),
    );
    expect(stray).toEqual([]);
    expect(packed.filter((path) => /\.test\.|(^|\/)test\//.test(path))).toEqual([]);
    expect(packed.filter((path) => /\.(ts|tsx)$/.test(path) && !path.endsWith(".d.ts"))).toEqual(
      [],
    );
  });

  it.each(entries)("can be imported as agent-switchboard/%s", (entry) => {
    const program = `console.log(Object.keys(await import("agent-switchboard/${entry}")).length)`;
    const count = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: home,
      encoding: "utf8",
    });
    expect(Number(count)).toBeGreaterThan(0);
  });

  it("has a client for browsers, which runs where there is nothing of Node", async () => {
    const program = `
      import { emptyConversation, fold, SessionClient } from "agent-switchboard/client/core";
      import { TeamClient, TeamView } from "agent-switchboard/team/core";
      const team = [typeof TeamClient.open, new TeamView().lastSeq];
      globalThis.answer = [typeof SessionClient.open, fold(emptyConversation, []).state, ...team];
    `;
    writeFileSync(join(home, "browser.js"), program);
    const { outputFiles } = await build({
      absWorkingDir: home,
      entryPoints: ["browser.js"],
      bundle: true,
      platform: "browser",
      format: "iife",
      write: false,
      logLevel: "silent",
    });
    const page: Record<string, unknown> = { TextEncoder, TextDecoder, crypto, performance };
    runInNewContext(outputFiles[0]?.text ?? "", page);
    expect([page["answer"]].flat().join()).toBe("function,idle,function,0");
  });

  it("gives a TypeScript user its types", () => {
    const lines = entries.map((entry) => `export * as ${entry} from "agent-switchboard/${entry}";`);
    const use =
      'import { errorOf } from "agent-switchboard/wire";\nexport const code: "timeout" = errorOf("timeout", "x").code;\n';
    writeFileSync(join(home, "use.ts"), `${lines.join("\n")}\n${use}`);
    const flags = [
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2024",
      "--types",
      "",
    ];
    let said = "";
    try {
      execFileSync(join(project, "node_modules/.bin/tsc"), [...flags, "use.ts"], {
        cwd: home,
        encoding: "utf8",
      });
    } catch (error) {
      said = (error as { stdout: string }).stdout;
    }
    // The types are known: that an error's code is any of the table's is the only complaint.
    expect(said).toMatch(
      /^use\.ts\(\d+,\d+\): error TS2322: Type '[^']*' is not assignable to type '"timeout"'\./,
    );
    expect(said.match(/error TS/g)).toHaveLength(1);
  });

  it("gives a TypeScript user without the DOM's types no error of its own, only the one that the Agent SDK has alone", () => {
    const all = entries.map((entry) => `export * as ${entry} from "agent-switchboard/${entry}";`);
    const foreign =
      /^\S*@modelcontextprotocol\/sdk\/\S+: error TS2304: Cannot find name 'HeadersInit'\.\n$/;
    expect(complaints(all.join("\n"))).toMatch(foreign);
    const sdk = 'export type { Options } from "@anthropic-ai/claude-agent-sdk";';
    expect(complaints(sdk)).toMatch(foreign);
    const others = all.filter((line) => !/ (?:session|model) from/.test(line));
    expect(complaints(others.join("\n"))).toBe("");
  });

  it("holds the page, which `switchboard web` serves with all that the page asks for", async () => {
    const bin = join(installed, "bin/switchboard.js");
    const env = { ...process.env, XDG_STATE_HOME: join(home, "state") };
    const web = spawn(process.execPath, [bin, "web", "/tmp/s.sock", "--json"], { env });
    onTestFinished(() => void web.kill("SIGKILL"));
    const [line] = (await once(web.stdout, "data")) as [Buffer];
    const { origin } = JSON.parse(String(line)) as { origin: string };
    const page = await (await fetch(`${origin}/`)).text();
    const files = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(files).toEqual(expect.arrayContaining([expect.stringMatching(/^\/assets\/.*\.js$/)]));
    for (const path of files) {
      const { status, headers } = await fetch(origin + path, {
        headers: { "accept-encoding": "br" },
      });
      expect([path, status, headers.get("content-encoding")]).toEqual([path, 200, "br"]);
    }
    expect(packed.filter((path) => /^dist\/page\/.*\.woff2$/.test(path)).length).toBeGreaterThan(1);
  });

  it("says how to build the page where it is missing, and a team goes without it", () => {
    const page = join(installed, "dist/page");
    renameSync(page, `${page}.away`);
    onTestFinished(() => renameSync(`${page}.away`, page));
    const bin = join(installed, "bin/switchboard.js");
    const web = spawnSync(process.execPath, [bin, "web", "/tmp/s.sock"], { encoding: "utf8" });
    expect([web.status, web.stdout]).toEqual([64, ""]);
    expect(web.stderr).toMatch(/The page is not built[^]*npm ci && npm run build/);
    const program = `
      import { servePage } from "${installed}/dist/cli/web/team-page.js";
      await using page = servePage("${home}/team", {}, console.log);
      console.log(await page.link);
    `;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    expect(said).toMatch(/^The page is not built: .* npm ci && npm run build\nundefined\n$/);
  });

  it.each(["switchboard", "agent-socket"])("starts as %s", (bin) => {
    const version = execFileSync(
      process.execPath,
      [join(installed, `bin/${bin}.js`), "--version"],
      { encoding: "utf8" },
    );
    expect(version).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
