import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Abilities } from "./abilities.ts";

/** The program at the other end, as far as sessions need it. */
export interface Editor {
  readonly abilities: Abilities;
  /** Under this name other clients of a session see it. */
  readonly name: string;
  /** It has closed its end: nothing that is said now reaches anybody, and no missing answer means anything. */
  readonly isGone: boolean;
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /** @throws when the editor cannot ask, or when the signal took the question back. */
  askPermission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionOutcome>;
  /** @throws as `askPermission` does. */
  elicit(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse>;
}

/** Other faces whose editor has no forms; they wait for somebody who has. */
const PLAIN = "acp-plain:";
const ABLE = "acp:";

/** The name of a face tells other faces whether its person can fill in a form. */
export const faceName = (editor: string | undefined, { forms }: Abilities): string =>
  `${forms ? ABLE : PLAIN}${(editor ?? "editor").replaceAll(/[^\w.-]+/g, "-").slice(0, 60)}`;

export const canFillInForms = (client: string): boolean => !client.startsWith(PLAIN);
