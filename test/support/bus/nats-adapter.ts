import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { openNatsBus } from "../../../src/bus/jetstream/open-nats-bus.ts";
import { tempDir } from "../temp-dir.ts";
import type { Adapter } from "./stage.ts";

/** A name that no other test has given to a team. */
export const newTeam = (): string => `t-${randomUUID()}`;

/**
 * A bus on these servers. With `rebuilt` replicas each opening begins without one, and has only what the log has.
 */
export const natsAdapter = (
  urls: () => readonly string[],
  replica: "kept" | "rebuilt",
): Adapter => ({
  name: "nats",
  place() {
    const team = newTeam();
    const directory = tempDir();
    let openings = 0;
    return (options) => {
      if (replica === "rebuilt") openings += 1;
      const path = join(directory, `bus-${openings}.db`);
      return openNatsBus(path, { ...options, servers: urls(), team });
    };
  },
});
