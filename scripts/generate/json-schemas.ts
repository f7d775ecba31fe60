import { z } from "zod";
import {
  CCMessageSchema,
  CommunicationLogSchema,
  IPCMessageSchema,
  JsonRpcMessageSchema,
  SendMessageInputSchema,
  SessionCommandSchema,
  SessionMessageSchema,
  TeamServerMessageSchema,
  TeamRequestSchema,
  ToolSchemaFileSchema,
  WireErrorSchema,
} from "../../src/wire/index.ts";
import { HostRequestSchema } from "../../src/wire/host.ts";
import { TunnelBeatSchema } from "../../src/wire/tunnel.ts";
import { ScriptSchema } from "../../src/rehearsal/script-schema.ts";
import { WrittenTeamFileSchema } from "../../src/team/file/team-schema.ts";
import { inOrder } from "./key-order.ts";

interface Part {
  title: string;
  schema: z.ZodType;
}

/** One file of `schema/` for each part of the protocols. */
export const parts = {
  ipc: { title: "IPC contract: bridge process and its parent", schema: IPCMessageSchema },
  "tool-schema-file": {
    title: "Tool schema file of a bridge process",
    schema: ToolSchemaFileSchema,
  },
  "own-mode": {
    title: "Own mode of the bridge: MCP messages in frames",
    schema: JsonRpcMessageSchema,
  },
  "session-commands": {
    title: "Session protocol: client to session",
    schema: SessionCommandSchema,
  },
  "session-events": { title: "Session protocol: session to client", schema: SessionMessageSchema },
  "team-requests": { title: "Control socket of a team: client to team", schema: TeamRequestSchema },
  "team-events": {
    title: "Control socket of a team: team to client",
    schema: TeamServerMessageSchema,
  },
  "team-message": { title: "Message between agents", schema: CCMessageSchema },
  "send-message": { title: "Input of the tool send_message", schema: SendMessageInputSchema },
  "communication-log": { title: "Entry of the communication log", schema: CommunicationLogSchema },
  "tunnel-beat": { title: "Tunnel: what each end says every second", schema: TunnelBeatSchema },
  "host-requests": {
    title: "A team to a host that runs its agents",
    schema: HostRequestSchema,
  },
  error: { title: "Error of every protocol", schema: WireErrorSchema },
} as const satisfies Record<string, Part>;

export type PartName = keyof typeof parts;

/** One for each kind of file that people write, for the help of their editors. */
export const writtenFiles: Readonly<Record<string, Part>> = {
  "team-file": { title: "Team file of switchboard", schema: WrittenTeamFileSchema },
  "rehearsal-script": { title: "Script of a rehearsed model", schema: ScriptSchema },
};

/** The text of each file by its path. */
export function jsonSchemaFiles(): [path: string, text: string][] {
  return Object.entries({ ...parts, ...writtenFiles }).map(([name, part]) => [
    `schema/${name}.json`,
    `${JSON.stringify(inOrder(jsonSchemaOf(name, part)), null, 2)}\n`,
  ]);
}

function jsonSchemaOf(name: string, { title, schema }: Part): z.core.JSONSchema.BaseSchema {
  const generated = z.toJSONSchema(schema, {
    // What a peer may send: fields with a default may be left out, unknown ones are ignored.
    io: "input",
    // Open JSON values are checked by a function; in JSON Schema they are "anything".
    unrepresentable: "any",
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return { ...generated, $id: `urn:agent-switchboard:${name}:v1`, title };
}

const UTC = "Z$";

/** The standard's own word for a time is enough; zod adds a pattern that nobody can read. */
function simplify(schema: z.core.JSONSchema.BaseSchema): void {
  delete schema.propertyNames;
  if (schema.format !== "date-time") return;
  if (schema.pattern?.endsWith("(?:Z))$")) schema.pattern = UTC;
  else if (schema.pattern !== UTC) delete schema.pattern;
}
