/** For tool hosts with the transport `sdk`, so that higher layers need not import the Agent SDK. */
export { createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
