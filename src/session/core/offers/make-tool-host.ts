import type { Tool, ToolHost } from "../../../bridge/index.ts";
import type { McpServerConfig } from "../../../engine/index.ts";
import { createSdkMcpServer } from "../../../engine/index.ts";
import type { JsonObject } from "../../../wire/json.ts";
import type { OfferedTool } from "../../../wire/session/offered-tools.ts";
import { withoutPatterns } from "../without-patterns.ts";
import type { OfferedCallRequest, ToolReturn } from "./offered-call.ts";

type SdkConfig = Extract<McpServerConfig, { type: "sdk" }>;

/** Calls a tool of a client. Rejects with what the model reads in place of a result. */
export type CallTool = (tool: OfferedTool, request: OfferedCallRequest) => Promise<ToolReturn>;

export interface MadeHost {
  readonly tools: readonly Tool[];
  /** A new host with these tools. */
  start(): Promise<ToolHost<SdkConfig>>;
}

/**
 * A tool host for the tools of a client: it checks what the model sends, and ends a call in time.
 *
 * @throws `tool_invalid` for a name, a tool or a schema that cannot be used.
 */
export async function makeToolHost(
  name: string,
  offered: readonly OfferedTool[],
  callTool: CallTool,
): Promise<MadeHost> {
  // Loaded on demand: most sessions have no such tools, and their start must not wait for it.
  const { createToolHost, content, defineTool } = await import("../../../bridge/index.ts");
  const makeTool = (tool: OfferedTool): Tool => {
    const { _meta: meta } = tool;
    return defineTool({
      name: tool.name,
      description: tool.description,
      // The wire has checked that it is a schema of objects.
      input: tool.input_schema as JsonObject & { type: "object" },
      ...(tool.output_schema && {
        output: tool.output_schema as JsonObject & { type: "object" },
      }),
      ...(tool.title !== undefined && { title: tool.title }),
      ...(tool.annotations && { annotations: tool.annotations }),
      ...(meta && { meta }),
      idempotent: tool.idempotent === true,
      timeoutMs: tool.timeout_ms,
      handler: async (input, { signal, progress, toolUseId }) => {
        const result = await callTool(tool, {
          input,
          requestId: toolUseId,
          signal,
          onProgress: ({ progress: done, total, message }) =>
            progress({
              progress: done,
              ...(total !== undefined && { total }),
              ...(message !== undefined && { message }),
            }),
        });
        const blocks = result.content ?? [{ type: "text" as const, text: result.text ?? "" }];
        return content.result({
          // MCP's form, as the wire has checked it.
          content: blocks as Parameters<typeof content.result>[0]["content"],
          ...(result.structured && { structuredContent: result.structured }),
          isError: result.is_error,
        });
      },
    });
  };
  /** The model reads the whole schemas; their regular expressions are for the client to check. */
  const asTool = (tool: OfferedTool): Tool => {
    const { input_schema, output_schema } = tool;
    const { schema } = makeTool(tool);
    const checked = {
      ...tool,
      input_schema: withoutPatterns(input_schema),
      ...(output_schema && { output_schema: withoutPatterns(output_schema) }),
    };
    return { ...makeTool(checked), schema };
  };
  const tools = offered.map(asTool);
  const make = (): ToolHost<SdkConfig> =>
    createToolHost({
      name,
      tools,
      transport: "sdk",
      sdkServer: createSdkMcpServer,
    });
  const host = make();
  return { tools, start: () => host.start() };
}
