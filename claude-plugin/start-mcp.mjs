// Runs `switchboard mcp`: of the package that this folder belongs to; else of the project; else the one on PATH. Claude
// Code copies an installed plugin, so the folder may lie anywhere.
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));

function* upFrom(directory) {
  for (let at = resolve(directory); ; at = dirname(at)) {
    yield at;
    if (dirname(at) === at) return;
  }
}

function* candidates() {
  yield join(here, "../bin/switchboard.js");
  for (const at of upFrom(process.cwd())) {
    yield join(at, "node_modules/agent-switchboard/bin/switchboard.js");
  }
  for (const at of (process.env.PATH ?? "").split(delimiter)) {
    if (at !== "") yield join(at, "switchboard");
  }
}

const found = [...candidates()].find((path) => existsSync(path));
if (found === undefined) {
  process.stderr.write(
    "The command switchboard was not found. Install it: npm install -g agent-switchboard\n",
  );
  process.exit(69);
}
const program = realpathSync(found);
process.argv = [process.execPath, program, "mcp", ...process.argv.slice(2)];
await import(pathToFileURL(program).href);
