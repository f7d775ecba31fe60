// node scripts/nats-server.ts: prints the path of a nats-server, which it downloads or builds when the machine has none.
import { getServer } from "./nats-server/get-server.ts";

const { file, version } = await getServer((line) => console.error(line));
console.error(`nats-server ${version}`);
console.log(file);
