import * as z from "zod";
import { JsonRpcErrorSchema, JsonRpcIdSchema, JsonRpcResponseSchema } from "../mcp.ts";
import { TeamDeltaSchema, TeamInitSchema, teamMethods } from "./control-methods.ts";
import { TeamEventSchema } from "./events.ts";

// The lines of a team's control socket, in both directions.

const requestOf = (method: string, params: z.ZodObject) =>
  z.object({
    jsonrpc: z.literal("2.0"),
    id: JsonRpcIdSchema,
    method: z.literal(method),
    // Parameters without required fields may be omitted.
    params: params.safeParse({}).success ? params.optional() : params,
  });

type Request = ReturnType<typeof requestOf>;

/** What a client may send. */
export const TeamRequestSchema = z.discriminatedUnion(
  "method",
  Object.entries(teamMethods).map(([method, params]) => requestOf(method, params)) as [
    Request,
    ...Request[],
  ],
);

/** What a client receives: first `init`, then events and deltas as they happen, and its answers. */
export const TeamServerMessageSchema = z.union([
  TeamInitSchema,
  TeamEventSchema,
  TeamDeltaSchema,
  JsonRpcResponseSchema,
  JsonRpcErrorSchema,
]);
