import type { ToolItem } from "agent-switchboard/client/core";
import { useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { counted, lengthOfTime, t } from "../../words/words.ts";
import { InputTree } from "../../calls/input-tree.tsx";
import { DiffView } from "../../code/diff-view.tsx";
import { TerminalText } from "../../code/terminal-text.tsx";
import { VisibleText } from "../../characters/visible-text.tsx";
import { OpenTicket } from "../open-ticket.tsx";
import { storedText } from "../stored-text.ts";
import { useTalk } from "../talk-context.ts";
import { todosOfCall } from "./todos-of-call.ts";
import { ToolResult } from "./tool-result.tsx";
import type { ToolState } from "./tool-state.ts";
import { kindOfTool, toolSummary, wordOf } from "./tool-summary.ts";
import styles from "./tool-card.module.css";

interface BodyProps {
  readonly item: ToolItem;
  readonly state: ToolState;
  readonly children: ComponentChildren;
}

/** What a call does and what came of it, by its tool. */
export function ToolBody({ item, state, children }: BodyProps) {
  // The ticket says whole what will happen.
  if (state === "waits") return <OpenTicket requestId={item.requestId} />;
  return (
    <What item={item} state={state}>
      {children}
    </What>
  );
}

function What({ item, state, children }: BodyProps) {
  switch (kindOfTool(item.tool)) {
    case "command":
      return <Command item={item} />;
    case "change":
      return <Change item={item} />;
    case "todo":
      return <Todo item={item} />;
    case "agent":
      return <SubAgent item={item}>{children}</SubAgent>;
    case "read":
      return <ToolResult item={item} />;
    default:
      return (
        <>
          {state === "writing" ? (
            <p class={styles.command}>
              <VisibleText text={item.inputJson} />
            </p>
          ) : (
            <InputTree value={item.input ?? {}} />
          )}
          {children}
          <ToolResult item={item} />
        </>
      );
  }
}

function Command({ item }: { readonly item: ToolItem }) {
  const command = wordOf(item.input?.["command"]);
  const about = wordOf(item.input?.["description"]);
  return (
    <>
      {about !== undefined && (
        <p class={styles.about}>
          <VisibleText text={about} />
        </p>
      )}
      {command === undefined ? (
        <InputTree value={item.input ?? {}} />
      ) : (
        <p class={styles.command}>
          <VisibleText text={command} />
        </p>
      )}
      {item.liveOutput !== "" && <TerminalText text={item.liveOutput} />}
      <ToolResult item={item} isTerminal />
    </>
  );
}

function Change({ item }: { readonly item: ToolItem }) {
  const { state } = useTalk();
  const { changes = [], result } = item;
  return (
    <>
      {changes.map((change, index) => (
        <DiffView
          key={index}
          change={change}
          isNamed={changes.length === 1 && change.path === toolSummary(item)}
          loadPatch={({ blob }) => storedText(state, blob)}
        />
      ))}
      {changes.length === 0 && <InputTree value={item.input ?? {}} />}
      {(result?.is_error === true || changes.length === 0) && <ToolResult item={item} />}
    </>
  );
}

const todoSigns = { pending: "○", in_progress: "▸", completed: "✓" } as const;

function Todo({ item }: { readonly item: ToolItem }) {
  const { state } = useTalk();
  const todos = todosOfCall(item, useComputed(() => state.conversation.value.todo).value);
  if (!todos) return <InputTree value={item.input ?? {}} />;
  return (
    <>
      <ul class={styles.todo}>
        {todos.map(({ content, status }, index) => (
          <li key={index} data-status={status}>
            <span aria-hidden="true">{todoSigns[status]}</span>
            <span>
              <VisibleText text={content} />
            </span>
            <span class="unseen">{t(`tool.todo.${status}`)}</span>
          </li>
        ))}
      </ul>
      {item.result?.is_error === true && <ToolResult item={item} />}
    </>
  );
}

/** A sub-agent: what it was asked, what it did as a tree, and what it reported. */
function SubAgent({
  item,
  children,
}: {
  readonly item: ToolItem;
  readonly children: ComponentChildren;
}) {
  const { agent, agentEnd, progress } = item;
  const uses = agentEnd?.tool_uses ?? progress?.tool_uses;
  const facts = [
    agent?.agent ?? wordOf(item.input?.["subagent_type"]),
    uses === undefined ? undefined : counted("tool.agentUses", "tool.agentUsesMany", uses),
    agentEnd?.duration_ms === undefined ? undefined : lengthOfTime(agentEnd.duration_ms),
    agentEnd && t(`tool.agentEnd.${agentEnd.outcome}`),
  ].filter((fact) => fact !== undefined);
  const prompt = wordOf(item.input?.["prompt"]);
  return (
    <>
      <p class={styles.about}>
        <VisibleText text={facts.join(" · ")} />
      </p>
      {prompt !== undefined && (
        <p class={styles.command}>
          <VisibleText text={prompt} />
        </p>
      )}
      <div class={styles.children} role="group" aria-label={t("tool.agentSteps")}>
        {children}
      </div>
      <ToolResult item={item} />
    </>
  );
}
