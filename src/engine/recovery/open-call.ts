import type { JsonValue } from "../../wire/json.ts";

/** A call that our log knows. The CLI's file may not have it yet: it is written a moment later. */
export interface OpenCall {
  request_id: string;
  tool: string;
  input: JsonValue;
  /** Absent: nobody was asked about it, so far or at all. */
  decision?: "none" | "allowed" | "denied";
  /**
   * What it returned. A call can have run to its end, and its result been told, before the CLI has
   * written down either: while the model goes on to make further calls.
   */
  result?: JsonValue;
}
