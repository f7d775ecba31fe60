import type { ApproveOptions, SessionClient } from "../../client/index.ts";

type Answers = Parameters<SessionClient["answer"]>[1];
type Content = NonNullable<Parameters<SessionClient["respond"]>[2]>;

/** What is to be told the session about a request. */
export type EditorAnswer =
  | ({ readonly type: "approve" } & Pick<ApproveOptions, "scope" | "mode">)
  | { readonly type: "deny"; readonly reason?: string; readonly interrupt?: boolean }
  | { readonly type: "answer"; readonly answers: Answers }
  | { readonly type: "respond"; readonly action: "accept"; readonly content?: Content }
  | { readonly type: "respond"; readonly action: "decline" | "cancel" }
  /** Nothing: it stays open for another client. */
  | { readonly type: "leave" };

/** @throws `already_resolved` when another client was faster; as the commands do. */
export async function giveAnswer(
  session: SessionClient,
  id: string,
  answer: EditorAnswer,
): Promise<void> {
  switch (answer.type) {
    case "approve": {
      const { scope, mode } = answer;
      return session.approve(id, { ...(scope && { scope }), ...(mode && { mode }) });
    }
    case "deny": {
      const { reason, interrupt } = answer;
      const why = reason === undefined ? {} : { reason };
      return session.deny(id, { ...why, ...(interrupt === true && { interrupt }) });
    }
    case "answer":
      return session.answer(id, answer.answers);
    case "respond":
      return answer.action === "accept"
        ? session.respond(id, "accept", answer.content)
        : session.respond(id, answer.action);
    default:
      return undefined;
  }
}
