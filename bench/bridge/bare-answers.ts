import { textOf } from "./payload.ts";

interface Message {
  id?: number;
  method?: string;
  params?: {
    protocolVersion?: string;
    name?: string;
    arguments?: { bytes?: number; text?: string };
  };
}

/** A server of MCP without any library, as small as it can be. Undefined where no answer is due. */
export function answerTo(body: Buffer): object | undefined {
  const { id, method, params } = JSON.parse(body.toString()) as Message;
  if (id === undefined) return undefined;
  return { jsonrpc: "2.0", id, result: resultOf(method, params) };
}

function resultOf(method: string | undefined, params: Message["params"]): object {
  if (method === "initialize") {
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "bare", version: "1" },
    };
  }
  const { bytes, text = "" } = params?.arguments ?? {};
  return { content: [{ type: "text", text: bytes === undefined ? text : textOf(bytes) }] };
}
