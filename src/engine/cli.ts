// A door of the engine: where the CLI is, which version it has, and what a killed one leaves behind. Loads no Agent SDK.
export { removeSocketOf } from "./claude-temp-files.ts";
export { knownVersion, learnVersion } from "./cli-version.ts";
export { bundledVersion } from "./locate-cli.ts";
export { usableCli } from "./choose-cli.ts";
