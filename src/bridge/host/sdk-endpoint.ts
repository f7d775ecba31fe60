import type { Transport } from "@modelcontextprotocol/server";
import { createMcpServer } from "../serve/mcp-server.ts";
import type { ToolService } from "../serve/tool-service.ts";
import type { Endpoint } from "./endpoint.ts";

/** The return value of the Agent SDK's `createSdkMcpServer`. */
export interface SdkServerConfig {
  type: "sdk";
  name: string;
  instance: object;
}

/** The Agent SDK's `createSdkMcpServer`, passed by the caller, so that this package does not choose the SDK. */
export type SdkServerFactory<Config extends SdkServerConfig> = (options: {
  name: string;
}) => Config;

/**
 * Tools in the same process, without a bridge: for the Agent SDK only. The SDK connects its server's instance once
 * per session, and an SDK instance serves only one session; this one makes a new server each time, so that one config
 * serves any number of sessions.
 */
export function openSdkEndpoint<Config extends SdkServerConfig>(
  service: ToolService,
  createServer: SdkServerFactory<Config>,
): Endpoint<Config> {
  const config = createServer({ name: service.name });
  const connect = (transport: Transport): Promise<void> =>
    createMcpServer(service).connect(transport);
  return {
    config: {
      ...config,
      instance: Object.create(config.instance, { connect: { value: connect } }),
    },
    // Sessions ask the server itself, which the service informs of changes.
    announce() {},
    // The connections belong to the SDK: they stay, and later calls fail because the host has stopped.
    async close() {},
  };
}
