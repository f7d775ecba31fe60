import { getServer } from "../../../scripts/nats-server/get-server.ts";

/**
 * Gets a nats-server before the first test. Tests find it in `$NATS_SERVER`, and skip themselves when there is none. Where
 * `$NATS_SERVER_REQUIRED` is set, as in CI, a run without one fails.
 */
export default async function getServerOnce(): Promise<void> {
  try {
    process.env["NATS_SERVER"] = (await getServer(tell)).file;
  } catch (error) {
    if (process.env["NATS_SERVER_REQUIRED"] || process.env["NATS_SERVER"]) throw error;
    tell(
      "The tests that need a nats-server are SKIPPED: this machine has none, and none could be got.",
    );
  }
}

const tell = (line: string): void => console.error(line);
