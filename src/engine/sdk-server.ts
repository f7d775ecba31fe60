/** For tool hosts with the transport `sdk`, so that layers above need not import the Agent SDK. */
export { createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
