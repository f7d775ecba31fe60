import type { TargetedEvent, VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { t } from "../words/words.ts";
import { Same } from "./same.tsx";
import { useScrollable } from "./scrollable.ts";
import { SlidingTerminal } from "./sliding-terminal.ts";
import type { LineGroup } from "./terminal-output.ts";
import type { Colour, Span } from "./terminal-spans.ts";
import styles from "./terminal-text.module.css";
import { VisibleText } from "../characters/visible-text.tsx";

const END_PX = 24;

export interface TerminalTextProps {
  /** The output so far, or its newest part. */
  readonly text: string;
}

/** The newest 64 KB of a command's output, with its colours. It stays at its end unless a person has scrolled up. */
export function TerminalText({ text }: TerminalTextProps): VNode {
  const [terminal] = useState(() => new SlidingTerminal());
  const { groups, open, isCut } = terminal.take(text);
  const scroll = useScrollable<HTMLPreElement>(t("terminal.output"));
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const box = scroll.ref.current;
    if (box !== null && isAtEnd.current) box.scrollTop = box.scrollHeight;
  }, [text]);
  const look = (event: TargetedEvent<HTMLPreElement>): void => {
    const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
    isAtEnd.current = scrollHeight - clientHeight - scrollTop < END_PX;
  };
  return (
    <pre class={styles["terminal"]} onScroll={look} {...scroll}>
      {isCut && <span class={styles["cut"]}>{t("terminal.cut")}</span>}
      {groups.map((group) => (
        <Same key={group.key} value={group} draw={groupView} />
      ))}
      <span>{open.map(spanView)}</span>
    </pre>
  );
}

const groupView = (group: LineGroup): VNode => <span>{group.spans.map(spanView)}</span>;

function spanView(span: Span, index: number): VNode {
  const { colour, ground, decorations = [] } = span;
  const classes = [
    ...decorations.map((name) => styles[name]),
    colour?.is === "named" ? styles[colour.name] : undefined,
    ground?.is === "named" ? styles[`${ground.name}-ground`] : undefined,
  ].filter((name) => name !== undefined);
  const text = <VisibleText text={span.text} />;
  if (colour === undefined && ground === undefined && classes.length === 0) return text;
  // Set through the browser's object for styles, which our Content-Security-Policy allows; an attribute would be refused.
  const style = { color: valueOf(colour), backgroundColor: valueOf(ground) };
  return (
    <span key={index} class={classes.join(" ")} style={style}>
      {text}
    </span>
  );
}

const valueOf = (colour: Colour | undefined): string | undefined =>
  colour?.is === "value" ? colour.value : undefined;
