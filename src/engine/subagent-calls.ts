import type { EngineEvent } from "./events.ts";
import type { PermissionRequest } from "./ask-permission.ts";

/**
 * Which call started which sub-agent. The CLI names the sub-agent when it asks for permission, sometimes before it
 * has reported the call that it asks about.
 */
export class SubagentCalls {
  readonly #calls = new Map<string, string>();

  take(event: EngineEvent): void {
    if (event.type !== "background_task" || event.request_id === undefined) return;
    if (event.state === "started") this.#calls.set(event.task_id, event.request_id);
  }

  /** The request with the call that started its sub-agent, if a sub-agent asks. */
  withParent(request: PermissionRequest): PermissionRequest {
    const parent = request.agent === undefined ? undefined : this.#calls.get(request.agent);
    return parent === undefined ? request : { ...request, parent };
  }
}
