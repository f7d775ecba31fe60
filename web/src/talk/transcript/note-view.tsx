import { VisibleText } from "../../characters/visible-text.tsx";
import type { NoteItem } from "agent-switchboard/client/core";
import { counted, number, t, timeOfDay, wordFor, wordsOfError } from "../../words/words.ts";
import { Decision } from "../tools/decision.tsx";
import { OpenTicket } from "../open-ticket.tsx";
import styles from "./note-view.module.css";

type Note = NoteItem["note"];

/** What the session tells beside the conversation. */
export function NoteView({ item: { note, decision } }: { readonly item: NoteItem }) {
  const request = "request_id" in note ? note.request_id : undefined;
  if (isFirstSession(note)) return null;
  return (
    <aside class={styles.note} data-tone={toneOf(note)}>
      <div class={styles.line}>
        <div class={styles.words}>
          <NoteWords note={note} />
        </div>
        <time class={styles.time} dateTime={note.at} title={note.at}>
          {timeOfDay(note.at)}
        </time>
      </div>
      {note.type === "notice" && note.hint !== undefined && (
        <p class={styles.own} lang="en">
          <VisibleText text={note.hint} />
        </p>
      )}
      {decision && <Decision decision={decision} />}
      {request !== undefined && !decision && <OpenTicket requestId={request} />}
    </aside>
  );
}

/** Every log begins with it: that is no news. */
const isFirstSession = (note: Note): boolean =>
  note.type === "session_changed" && note.previous === undefined && note.forked_from === undefined;

function toneOf(note: Note): "bad" | "plain" {
  if (note.type === "error") return "bad";
  if (note.type === "closing") return note.reason === "failed" ? "bad" : "plain";
  return note.type === "notice" && note.level === "warning" ? "bad" : "plain";
}

function NoteWords({ note }: { readonly note: Note }) {
  switch (note.type) {
    case "notice":
      return <Told words={wordFor("notice", note.code)} own={note.message} />;
    case "error":
      return <Told words={wordsOfError(note.code)} own={note.message} />;
    case "compacted":
      return (
        <>
          {note.post_tokens === undefined
            ? t("talk.compactedSome", { before: note.pre_tokens })
            : t("talk.compacted", { before: note.pre_tokens, after: note.post_tokens })}
        </>
      );
    case "session_changed":
      return <>{t(note.forked_from === undefined ? "talk.cleared" : "talk.forked")}</>;
    case "earlier":
      return <Earlier note={note} />;
    case "closing":
      return <Told words={wordFor("talk.closing", note.reason)} own={note.message} />;
    default:
      return <Told words={t("talk.asks", { server: note.server })} own={note.message} />;
  }
}

/** The page's own words, and those of the program under them: they have the facts. */
function Told({
  words,
  own,
}: {
  readonly words: string | undefined;
  readonly own?: string | undefined;
}) {
  return (
    <>
      <span>
        <VisibleText text={words ?? own ?? ""} />
      </span>
      {words !== undefined && own !== undefined && own !== "" && (
        <span class={styles.own}>
          <VisibleText text={own} />
        </span>
      )}
    </>
  );
}

function Earlier({ note }: { readonly note: Extract<Note, { type: "earlier" }> }) {
  return (
    <details>
      <summary>
        {t("talk.earlier")} ({number(note.messages.length)})
      </summary>
      {note.omitted > 0 && (
        <span class={styles.own}>
          {counted("talk.earlierMore", "talk.earlierMores", note.omitted)}
        </span>
      )}
      {note.messages.map(({ role, text }, index) => (
        <span key={index} class={styles.own}>
          <b>{t(role === "user" ? "talk.user" : "talk.model")}</b> <VisibleText text={text} />
        </span>
      ))}
    </details>
  );
}
