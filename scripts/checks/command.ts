import { execFile } from "node:child_process";
import { delimiter, dirname, join } from "node:path";

/** Runs a tool of node_modules in `root`. What it printed is the problem when it fails. */
export function runTool(root: string, tool: string, ...args: string[]): Promise<string[]> {
  const path = [join(root, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]];
  const options = {
    cwd: root,
    env: { ...process.env, PATH: path.join(delimiter) },
    maxBuffer: 64 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    execFile(tool, args, options, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trim();
      resolve(error ? [said === "" ? error.message : said] : []);
    });
  });
}
