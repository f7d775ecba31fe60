import * as z from "zod";

/** The name of a machine in a team: one token of a NATS subject. */
export const HostNameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
