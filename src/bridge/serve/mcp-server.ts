import type { CallToolResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import { Server } from "@modelcontextprotocol/server";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import { IPC_PROTOCOL_VERSION } from "../../wire/version.ts";
import { failureResult } from "../call/failure.ts";
import type { CallRequest } from "../call/perform.ts";
import type { ToolService } from "./tool-service.ts";

/** Where Claude Code puts the model's id of a call. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** A server of the official library for one session. The library wants one for each connection. */
export function createMcpServer(service: ToolService): Server {
  const server = new Server(
    { name: service.name, version: String(IPC_PROTOCOL_VERSION) },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: service.schemas.map(toMcpTool) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const outcome = await service.call(toCallRequest(params.name, params.arguments, context));
    return (outcome.ok ? outcome.result : failureResult(outcome.error)) as CallToolResult;
  });
  return Object.assign(server, {
    onerror: (err: Error) => service.log.warn({ err }, "An MCP message could not be handled."),
    onclose: service.onToolsChanged(() => void tellToolsChanged(server, service)),
  });
}

async function tellToolsChanged(server: Server, { log }: ToolService): Promise<void> {
  try {
    await server.sendToolListChanged();
  } catch (err) {
    log.debug({ err }, "A session that is leaving was not told of other tools.");
  }
}

function toCallRequest(name: string, args: unknown, { mcpReq }: ServerContext): CallRequest {
  const { _meta: meta = {}, signal, notify } = mcpReq;
  const { progressToken } = meta;
  const toolUseId = meta[TOOL_USE_ID];
  return {
    name,
    args: args ?? {},
    toolUseId: typeof toolUseId === "string" ? toolUseId : undefined,
    signal,
    progress(progress) {
      if (progressToken === undefined) return;
      const params = { ...progress, progressToken };
      // Progress is a courtesy: when the session has left, the call's own end tells.
      notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

function toMcpTool(schema: ToolSchema): Tool {
  const { name, description, title, input_schema, output_schema, annotations, _meta } = schema;
  return {
    name,
    description,
    inputSchema: input_schema as Tool["inputSchema"],
    ...(title !== undefined && { title }),
    ...(output_schema && { outputSchema: output_schema }),
    ...(annotations && { annotations }),
    ...(_meta && { _meta }),
  };
}
