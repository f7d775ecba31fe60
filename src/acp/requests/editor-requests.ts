import type { PendingRequest, SessionClient } from "../../client/index.ts";
import { isRecord } from "../../wire/json.ts";
import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import type { Editor } from "../editor.ts";
import { canFillInForms } from "../editor.ts";
import { elicitationAnswer, requestedSchema } from "./elicitation-form.ts";
import { permissionAnswer, permissionQuestion } from "./permission-options.ts";
import { cannotAsk, questionAnswer, questionForm } from "./question-form.ts";
import type { EditorAnswer } from "./editor-answer.ts";
import { giveAnswer } from "./editor-answer.ts";

/** What the requests of one session need of it. */
export interface AskingSession {
  /** As the editor knows it. */
  readonly id: string;
  readonly cwd: string;
  readonly client: () => SessionClient;
  readonly modes: () => readonly PermissionMode[];
  /** Everything that happened before the request is on its way to the editor. */
  flushed(): Promise<void>;
}

/**
 * The requests of a session that the editor was asked. Each is asked once. When another client decides, or the turn ends,
 * the editor's question is taken back.
 */
export class EditorRequests {
  readonly #session: AskingSession;
  readonly #editor: Editor;
  readonly #open = new Map<string, AbortController>();
  /** Those that this editor cannot show, left to another client. */
  readonly #left = new Map<string, PendingRequest>();

  constructor(session: AskingSession, editor: Editor) {
    this.#session = session;
    this.#editor = editor;
  }

  get size(): number {
    return this.#open.size;
  }

  ask(request: PendingRequest): void {
    const { request_id: id } = request;
    if (this.#open.has(id) || this.#left.has(id) || isDecided(request)) return;
    const question = this.#questionOf(request);
    if (question === undefined) {
      this.#cannotShow(request);
      return;
    }
    const withdrawn = new AbortController();
    this.#open.set(id, withdrawn);
    void this.#carryOut(request, withdrawn, question);
  }

  /** The session asks no more: what the editor still shows is taken back. */
  resolved(id: string): void {
    this.#open.get(id)?.abort();
    this.#open.delete(id);
    this.#left.delete(id);
  }

  /** The session cannot be reached; it will ask again. */
  forgetAll(): void {
    for (const id of this.#open.keys()) this.resolved(id);
    this.#left.clear();
  }

  /** A client came or went: what was left to others may have nobody left. */
  clientsChanged(): void {
    const left = [...this.#left.values()];
    this.#left.clear();
    // Each may be left to the others once more.
    for (const request of left) this.ask(request);
  }

  async #carryOut(
    request: PendingRequest,
    withdrawn: AbortController,
    question: (signal: AbortSignal) => Promise<EditorAnswer>,
  ): Promise<void> {
    const { request_id: id } = request;
    const { signal } = withdrawn;
    void this.#session.flushed();
    const answer = await question(signal).catch((error: unknown) =>
      signal.aborted || this.#editor.isGone ? undefined : { error },
    );
    // Its connection ends with all its questions; that is no answer.
    if (signal.aborted || this.#editor.isGone || answer === undefined) return;
    this.#open.delete(id);
    if ("error" in answer) this.#cannotShow(request);
    else await this.#give(id, answer);
  }

  /** What no editor shows is refused with words for the model, unless another client can show it. */
  #cannotShow(request: PendingRequest): void {
    const client = this.#session.client();
    const others = client.clients.some(
      (each) =>
        each.client !== client.name &&
        !each.read_only &&
        (isButton(request) || canFillInForms(each.client)),
    );
    const refusal = refusalOf(request);
    if (others || refusal.type === "leave") this.#left.set(request.request_id, request);
    else void this.#give(request.request_id, refusal);
  }

  async #give(id: string, answer: EditorAnswer): Promise<void> {
    // Another client was faster, or the session is lost and asks again.
    await giveAnswer(this.#session.client(), id, answer).catch(() => {});
  }

  /** How the editor is asked; undefined when it cannot be. */
  #questionOf(
    request: PendingRequest,
  ): ((signal: AbortSignal) => Promise<EditorAnswer>) | undefined {
    const editor = this.#editor;
    const { id: sessionId, cwd } = this.#session;
    if (request.type === "question") {
      if (!editor.abilities.forms) return undefined;
      const form = { ...questionForm(request), mode: "form" as const };
      const scope = { sessionId, toolCallId: request.request_id };
      return async (signal) =>
        questionAnswer(request, await editor.elicit({ ...form, ...scope }, signal));
    }
    if (request.type === "elicitation") {
      const { request_id, mode, message, server, schema, url, call } = request;
      const scope = { sessionId, ...(call !== undefined && { toolCallId: call }) };
      const words = `${server}: ${message}`;
      if (mode === "form") {
        if (!editor.abilities.forms) return undefined;
        const form = { mode, message: words, requestedSchema: requestedSchema(schema), ...scope };
        return async (signal) => elicitationAnswer(request, await editor.elicit(form, signal));
      }
      if (!editor.abilities.pages || url === undefined) return undefined;
      const elicitationId = request.elicitation_id ?? request_id;
      const page = { mode, message: words, url, elicitationId, ...scope };
      return async (signal) => elicitationAnswer(request, await editor.elicit(page, signal));
    }
    const { toolCall, options } = permissionQuestion(request, cwd, this.#session.modes());
    return async (signal) => {
      const outcome = await editor.askPermission({ sessionId, toolCall, options }, signal);
      // What an editor sends is not checked on its way here.
      if (!isRecord(outcome)) throw new TypeError("The answer to a permission has no outcome.");
      return permissionAnswer(request, outcome);
    };
  }
}

const isButton = ({ type }: PendingRequest): boolean =>
  type !== "question" && type !== "elicitation";

/** The policy of the session has decided; `approval_resolved` follows. */
const isDecided = (request: PendingRequest): boolean =>
  request.type === "approval_request" &&
  request.policy !== undefined &&
  request.policy.action !== "ask";

/** What is said for a person whom nobody can ask. */
function refusalOf(request: PendingRequest): EditorAnswer {
  switch (request.type) {
    case "question":
      return { type: "deny", reason: cannotAsk };
    case "elicitation":
      return { type: "respond", action: "cancel" };
    // Nobody may decide it for the person.
    case "notice":
      return { type: "leave" };
    default:
      return { type: "deny", reason: "The person's editor could not show the request." };
  }
}
