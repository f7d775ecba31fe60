import type { Duplex } from "node:stream";
import { closeSocket } from "../../net/close-socket.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import { serveConnection } from "../serve/serve-connection.ts";
import type { Tool } from "../tool/define-tool.ts";
import { checkName } from "../tool/tool-and-host-names.ts";
import { ToolSet } from "../tool/tool-set.ts";
import { OfferedTools } from "./offered-tools.ts";

/** Offers tools on byte streams that the caller opens: for bridges that this process cannot start or reach itself. */
export interface StreamToolHost {
  readonly name: string;
  readonly schemas: readonly ToolSchema[];
  /** Serves one bridge, until the stream ends. */
  serve(bridge: Duplex): void;
  /** Answers every open call with an error and closes the streams, in bounded time. */
  stop(): Promise<void>;
}

/** @throws `tool_invalid` when the name cannot be used, or what `tools` holds. */
export function createStreamToolHost(name: string, tools: readonly Tool[]): StreamToolHost {
  checkName("tool host", name);
  const offered = new OfferedTools(name, new ToolSet(tools));
  const bridges = new Set<Duplex>();
  return {
    name,
    get schemas() {
      return offered.schemas;
    },
    serve(bridge) {
      bridges.add(bridge);
      void serveConnection(bridge, offered).finally(() => bridges.delete(bridge));
    },
    async stop() {
      await offered.stop();
      await Promise.all([...bridges].map(closeSocket));
    },
  };
}
