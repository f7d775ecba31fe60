import type { JsonValue } from "../../wire/json.ts";

/** A call that our log knows. The CLI's transcript may not have it yet: the CLI writes it a moment later. */
export interface OpenCall {
  request_id: string;
  tool: string;
  input: JsonValue;
  /** Absent: no person was asked, so far or at all. */
  decision?: "none" | "allowed" | "denied";
  /**
   * Its result. A call can finish and be reported before the CLI has written down either, while the model makes
   * further calls.
   */
  result?: JsonValue;
}
