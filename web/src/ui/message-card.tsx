import { VisibleText } from "../characters/visible-text.tsx";
import type { CCMessage } from "agent-switchboard/wire";
import { nameOf } from "./name-of.ts";
import styles from "./message-card.module.css";
import { When } from "./when.tsx";

/** A message of an agent or a person as it was sent. */
export function MessageCard({
  message,
  cord,
  link,
}: {
  readonly message: CCMessage;
  /** The class of its sender's cord. */
  readonly cord?: string | undefined;
  readonly link?: string;
}) {
  return (
    <article class={`${styles.card} ${cord ?? ""}`}>
      <header>
        <b>
          {nameOf(message.from_agent)} → {nameOf(message.to_agent)}
        </b>
        <span>{message.type}</span>
        {link === undefined ? (
          <When at={message.timestamp} />
        ) : (
          <a href={link}>
            <When at={message.timestamp} />
          </a>
        )}
      </header>
      <p>
        <VisibleText text={message.content} />
      </p>
    </article>
  );
}
