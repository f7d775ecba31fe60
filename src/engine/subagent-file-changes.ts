import type { HookCallbackMatcher } from "@anthropic-ai/claude-agent-sdk";
import type { EngineEvent } from "./events.ts";
import { asJson } from "./normalise/emit-event.ts";
import type { JsonValue } from "../wire/json.ts";

/** Results that never come, because the CLI stopped the call, must not fill the memory. */
const MAX_OPEN = 100;

/**
 * What a sub-agent's calls have changed in files. The CLI reports it with the results of the main agent only; of a
 * sub-agent's calls a hook gets it, before the result is reported.
 */
export class SubagentFileChanges {
  readonly #details = new Map<string, JsonValue>();

  /** In the SDK's form. It changes nothing. */
  readonly hook: HookCallbackMatcher = {
    matcher: "Edit|Write|NotebookEdit",
    hooks: [
      async (input) => {
        if (input.hook_event_name !== "PostToolUse" || input.agent_id === undefined) return {};
        const [oldest] = this.#details.keys();
        if (this.#details.size >= MAX_OPEN && oldest !== undefined) this.#details.delete(oldest);
        this.#details.set(input.tool_use_id, asJson(input.tool_response));
        return {};
      },
    ],
  };

  /** The event with what is known of it beside. */
  complete(event: EngineEvent): EngineEvent {
    if (event.type !== "tool_result") return event;
    const detail = this.#details.get(event.request_id);
    this.#details.delete(event.request_id);
    return detail === undefined || event.detail !== undefined ? event : { ...event, detail };
  }
}
