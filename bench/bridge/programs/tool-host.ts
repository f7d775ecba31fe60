// A user's program that offers its functions as tools. It prints its config, and serves until its input ends.
import { createToolHost } from "../../../src/bridge/index.ts";
import { benchTools } from "../tools.ts";

const host = await createToolHost({ name: "bench", tools: benchTools }).start();
console.log(JSON.stringify(host.mcpServerConfig()));
process.stdin.resume().on("end", () => void host.stop());
