import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { Server } from "@modelcontextprotocol/server";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import { IPC_PROTOCOL_VERSION } from "../../wire/protocol-versions.ts";
import { failureResult } from "../call/describe-failure.ts";
import { toCallRequest } from "./call-request.ts";
import type { ToolService } from "./tool-service.ts";

/** A server of the official library for one session. The library needs one per connection. */
export function createMcpServer(service: ToolService): Server {
  const server = new Server(
    { name: service.name, version: String(IPC_PROTOCOL_VERSION) },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: service.schemas.map(toMcpTool) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const { _meta: meta = {}, signal, notify } = mcpReq;
    const request = toCallRequest(params.name, params.arguments ?? {}, { meta, signal, notify });
    const outcome = await service.call(request);
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
    log.debug({ err }, "A session left before it was told about the changed tools.");
  }
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
