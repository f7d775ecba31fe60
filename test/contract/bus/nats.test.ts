import { afterAll, beforeAll, describe } from "vitest";
import { natsAdapter } from "../../support/bus/nats-adapter.ts";
import type { Nats } from "../../support/nats/start-nats.ts";
import { hasNats, startNats } from "../../support/nats/start-nats.ts";
import { claiming } from "./claiming.ts";
import { finding } from "./finding.ts";
import { recording } from "./recording.ts";
import { sending } from "./sending.ts";
import { settling } from "./settling.ts";

const cases = [
  { name: "one NATS server, replica kept", servers: 1, replica: "kept" },
  { name: "one NATS server, replica rebuilt", servers: 1, replica: "rebuilt" },
  // Here each opening takes longer: what writes and reads the log is enough.
  { name: "three NATS servers, replica rebuilt", servers: 3, replica: "rebuilt" },
] as const;
const everywhere = process.env["NATS_CONTRACT"] === "whole";

describe.skipIf(!hasNats).each(cases)("the bus on $name", ({ servers, replica }) => {
  let nats: Nats;
  beforeAll(async () => {
    nats = await startNats({ servers, sync: "always" });
  });
  afterAll(() => nats.close());

  const adapter = natsAdapter(() => nats.urls, replica);
  sending(adapter);
  settling(adapter);
  if (servers === 3 && !everywhere) return;
  claiming(adapter);
  finding(adapter);
  recording(adapter);
});
