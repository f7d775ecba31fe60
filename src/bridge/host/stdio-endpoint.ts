import { serveConnection } from "../serve/serve-connection.ts";
import type { ToolService } from "../serve/tool-service.ts";
import type { BridgeSocketOptions } from "./bridge-socket.ts";
import { openBridgeSocket } from "./bridge-socket.ts";
import type { Endpoint } from "./endpoint.ts";
import type { StdioServerConfig } from "./stdio-config.ts";

export type StdioEndpointOptions = Pick<BridgeSocketOptions, "directory" | "waitForHostMs">;

/** Bridge processes connect to a socket of this host, and are served by it. */
export const openStdioEndpoint = (
  service: ToolService,
  { directory, waitForHostMs }: StdioEndpointOptions = {},
): Promise<Endpoint<StdioServerConfig>> =>
  openBridgeSocket({
    name: service.name,
    schemas: service.schemas,
    onBridge: (stream) => void serveConnection(stream, service),
    directory,
    waitForHostMs,
  });
