import * as z from "zod";
import { WireErrorSchema } from "./error-schema.ts";
import { JsonObjectSchema } from "./json-schemas.ts";

// What the two ends of a tunnel say to each other beside the bytes of their streams.

/** One end of a tunnel, for as long as its process lives. Another process gets another one. */
const IncarnationSchema = z
  .string()
  .regex(/^[A-Za-z0-9]{8,32}$/)
  .describe("One end of the tunnel, for as long as its process lives.");

const count = z.int().min(0);

/** Sent every second in both directions. */
export const TunnelBeatSchema = z
  .object({
    protocol: z.int().min(1).describe("The tunnel's version."),
    from: IncarnationSchema,
    to: IncarnationSchema.optional().describe("The other end, as far as it is known."),
    streams: z
      .record(z.string(), z.tuple([count, count]))
      .describe(
        "By stream: how many frames were sent on it, and how many bytes the peer may send in all.",
      ),
    says: JsonObjectSchema.optional().describe("What the users of the tunnel tell each other."),
  })
  .meta({ id: "TunnelBeat" });
export type TunnelBeat = z.infer<typeof TunnelBeatSchema>;

/** The first frame of a stream. */
export const TunnelOpenSchema = z
  .object({
    window: z.int().min(1).describe("How many bytes the peer may send before it gets credit."),
    about: JsonObjectSchema.describe("What the stream is for."),
  })
  .meta({ id: "TunnelOpen" });

/** Why the peer does not take a stream. */
export const TunnelRefusalSchema = z
  .object({
    error: WireErrorSchema,
    errno: z
      .string()
      .optional()
      .describe("The system's own error: ENOENT for a socket that is gone."),
  })
  .meta({ id: "TunnelRefusal" });
