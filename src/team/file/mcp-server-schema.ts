import * as z from "zod";
import { strictObject } from "../../yaml/strict-object.ts";

/** What a server may be called: its tools are `mcp__NAME__TOOL`, and two underscores would end the name. */
const ServerNameSchema = z.string().regex(/^(?!.*__)[A-Za-z0-9_-]{1,60}$/, {
  error:
    "A server's name has 1 to 60 letters, digits, hyphens and underscores, no two underscores in a row.",
});

/** An MCP server, in the words of Claude Code's own configuration. */
const McpServerSchema = strictObject({
  type: z.enum(["stdio", "http", "sse"]).optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.string().min(1).optional(),
  headers: z.record(z.string(), z.string()).optional(),
})
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: "A server needs either command (a program to start) or url (where it is).",
    when: ({ issues }) => issues.length === 0,
  })
  .refine(({ url, type, args, env }) => url === undefined || (type !== "stdio" && !args && !env), {
    error: "A server with url has headers; args, env and type: stdio belong to one with command.",
    when: ({ issues }) => issues.length === 0,
  })
  .refine(
    ({ command, type, headers }) =>
      command === undefined || ((type ?? "stdio") === "stdio" && !headers),
    {
      error:
        "A server with command has args and env; headers and type: http belong to one with url.",
      when: ({ issues }) => issues.length === 0,
    },
  );
export type McpServerSpec = z.infer<typeof McpServerSchema>;

export const McpServersSchema = z.record(ServerNameSchema, McpServerSchema);
