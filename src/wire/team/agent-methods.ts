import * as z from "zod";
import { EffortSchema, PermissionModeSchema } from "../session/shared-schemas.ts";
import { HostNameSchema } from "../host.ts";
import { AgentIdSchema } from "./messages.ts";

const agent = AgentIdSchema;

/** The params of the methods by which people act on one agent. */
export const agentMethods = {
  restart: z.object({ agent }),
  stop: z.object({ agent }),
  start: z.object({ agent }),
  hibernate: z.object({ agent }),
  abort: z.object({ agent }),
  move: z.object({
    agent,
    host: HostNameSchema.describe("A machine that has joined the team."),
    force: z
      .boolean()
      .default(false)
      .describe(
        "Do not wait until a host that cannot be reached has certainly stopped it. Only when that one is certainly dead.",
      ),
  }),
  set: z
    .object({
      agent,
      mode: PermissionModeSchema.optional(),
      model: z.string().min(1).max(200).optional(),
      effort: EffortSchema.nullable()
        .optional()
        .describe("Null gives the choice back to the model."),
    })
    .refine(
      ({ mode, model, effort }) =>
        mode !== undefined || model !== undefined || effort !== undefined,
      { error: "expected mode, model or effort" },
    ),
} as const;
