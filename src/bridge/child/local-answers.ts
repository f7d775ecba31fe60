import { errorOf } from "../../wire/errors.ts";
import { IPC_PROTOCOL_VERSION } from "../../wire/protocol-versions.ts";
import type { ToolCallAnswer } from "./make-answer.ts";
import { refusal } from "./make-answer.ts";
import type { RpcRequest } from "./read-message.ts";
import { paramsOf } from "./read-message.ts";
import type { Carries } from "./mode.ts";
import type { AnnouncedTool } from "./read-schema-file.ts";
import type { ToolList } from "./announced-tools.ts";

/** Newest first; a client with an unknown version is offered the first. */
export const protocolVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** Answers requests that need no host. Undefined for `tools/call`, the only one that does. */
export function answerLocally(
  request: RpcRequest,
  tools: ToolList,
  carries: Carries,
): ToolCallAnswer | undefined {
  switch (request.method) {
    case "tools/call":
      return undefined;
    case "initialize":
      return { result: introduction(request, carries.listChanged) };
    case "ping":
      return { result: {} };
    case "tools/list":
      return { result: { tools: listed(tools.giveOut(), carries.structuredContent) } };
    default:
      return refusal(
        errorOf("method_not_found", `The bridge has no method ${request.method}.`, {
          hint: "It answers initialize, ping, tools/list and tools/call.",
        }),
      );
  }
}

function introduction(request: RpcRequest, listChanged: boolean): object {
  const asked = paramsOf(request)?.["protocolVersion"];
  return {
    protocolVersion: protocolVersions.find((version) => version === asked) ?? protocolVersions[0],
    capabilities: { tools: { listChanged } },
    serverInfo: { name: "agent-switchboard bridge", version: String(IPC_PROTOCOL_VERSION) },
  };
}

/** A client insists on structured content from each tool that announces an output schema. */
function listed(tools: readonly AnnouncedTool[], structuredContent: boolean): object[] {
  return tools.map((tool) => (structuredContent ? tool : { ...tool, outputSchema: undefined }));
}
