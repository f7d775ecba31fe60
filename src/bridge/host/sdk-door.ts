import type { Transport } from "@modelcontextprotocol/server";
import { createMcpServer } from "../serve/mcp-server.ts";
import type { ToolService } from "../serve/tool-service.ts";
import type { Door } from "./door.ts";

/** What the Agent SDK's `createSdkMcpServer` gives. */
export interface SdkServerConfig {
  type: "sdk";
  name: string;
  instance: object;
}

/** The Agent SDK's `createSdkMcpServer`, given by the caller, so that this package does not choose the SDK. */
export type SdkServerFactory<Config extends SdkServerConfig> = (options: {
  name: string;
}) => Config;

/**
 * Tools in the same process, without a bridge: for the Agent SDK only. The SDK connects its server's
 * instance once for each session, and an instance of its own serves only one of them; this one makes
 * a new server each time, so that one config serves any number of sessions.
 */
export function openSdkDoor<Config extends SdkServerConfig>(
  service: ToolService,
  createServer: SdkServerFactory<Config>,
): Door<Config> {
  const config = createServer({ name: service.name });
  const connect = (transport: Transport): Promise<void> =>
    createMcpServer(service).connect(transport);
  return {
    config: {
      ...config,
      instance: Object.create(config.instance, { connect: { value: connect } }),
    },
    // Sessions ask the server itself, which is told of changes by the service.
    announce() {},
    // The connections are the SDK's: they stay, and their calls are told that the host has stopped.
    async close() {},
  };
}
