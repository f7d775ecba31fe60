import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";

/** What reading and writing a team's stream needs. */
export interface JetStreamParts {
  connection: NatsConnection;
  client: JetStreamClient;
  manager: JetStreamManager;
  team: string;
  stream: string;
  logId: string;
  ackMs: number;
}
