import type { Channel } from "../../net/channel.ts";
import type { Parsed } from "../../wire/json-payload.ts";
import { DirectCalls } from "./direct-calls.ts";
import { FrameTransport } from "./frame-transport.ts";
import { createMcpServer } from "./mcp-server.ts";
import type { ToolService } from "./tool-service.ts";

/** Serves a bridge of ours: MCP's own messages, any number of calls at a time. */
export async function serveOwn(
  first: IteratorResult<Parsed>,
  rest: AsyncIterator<Parsed>,
  channel: Channel<unknown, Parsed>,
  service: ToolService,
): Promise<void> {
  const transport = new FrameTransport(first, rest, channel, () => service.openRequest());
  transport.direct = new DirectCalls(service, (message) => transport.send(message));
  await createMcpServer(service).connect(transport);
  await transport.closed;
}
