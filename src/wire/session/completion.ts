import * as z from "zod";

const MAX_PREFIX_LENGTH = 4096;
const MAX_LIMIT = 200;

/** The fields of the command `complete`. */
export const complete = {
  kind: z.enum(["file"]).describe("What is to be completed: a file, as after @ in a message."),
  prefix: z
    .string()
    .max(MAX_PREFIX_LENGTH)
    .describe("What the person has typed after the @; may be empty."),
  limit: z.int().min(1).max(MAX_LIMIT).default(50),
};

const FileItemSchema = z
  .object({
    path: z
      .string()
      .min(1)
      .describe(
        "Relative to the session's directory, or absolute in a directory of --add-dir. A directory ends with a slash.",
      ),
    kind: z.enum(["file", "directory"]),
  })
  .meta({ id: "FileItem" });
export type FileItem = z.infer<typeof FileItemSchema>;

/** The fields of the answer `completions`. */
export const completions = {
  items: z.array(FileItemSchema).describe("The best first."),
  more: z.boolean().describe("There are others, or not all files could be looked at in time."),
};
export type Completions = z.infer<z.ZodObject<typeof completions>>;
