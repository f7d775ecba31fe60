// A gateway in a process of its own: gateway.ts SOCKET STATE_DIR PAGE_DIR LINKS. It prints its links, and ends with its stdin.
import { runGateway } from "../../../src/gateway/run-gateway.ts";

const [socket = "", stateDir = "", page = "", links = "1"] = process.argv.slice(2);
const gateway = await runGateway({ target: { kind: "session", socket }, stateDir, page, port: 0 });
const made = Array.from({ length: Number(links) }, (_, at) =>
  gateway.makeLink({ name: `person-${at}`, role: "owner" }),
);
process.stdout.write(`${JSON.stringify({ origin: gateway.origin, links: made })}\n`);
process.stdin.resume().once("end", () => void gateway.close());
