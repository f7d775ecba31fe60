import type { ScopeOption } from "agent-switchboard/wire";
import { Key } from "../ui/key.tsx";
import { counted, t } from "../words/words.ts";
import { VisibleText } from "../characters/visible-text.tsx";
import { ChangeForm } from "./change-form.tsx";
import { DenyForm } from "./deny-form.tsx";
import { MoreTime } from "./more-time.tsx";
import { usePanels } from "./panels.ts";
import type { ScopeRule } from "./rule-text.ts";
import { scopeRules } from "./rule-text.ts";
import type { TicketPart } from "./ticket-parts.ts";
import type { RequestOf } from "./call.ts";
import styles from "./ticket.module.css";

const letters = { once: "y", session: "s", always: "a" } as const;

/** May this tool run? Once, for longer, with another input, not at all, or later. */
export function ApprovalForm(part: TicketPart<RequestOf<"approval_request">>) {
  const { call, request, deciding, isDead, unseenLines, keys } = part;
  const panels = usePanels();
  const allow = (scope: ScopeOption["scope"]): void => deciding.decide({ kind: "approve", scope });
  const offered = request.scopes.map(({ scope }) => scope);
  const canWait = request.deadline !== undefined;
  // While a part of it is open, a letter was meant for that part.
  keys.current =
    panels.open === undefined
      ? {
          ...Object.fromEntries(offered.map((scope) => [letters[scope], () => allow(scope)])),
          n: () => panels.show("deny"),
          c: () => panels.show("change"),
          ...(canWait && { h: () => panels.show("hold") }),
        }
      : {};
  const keyOf = (scope: ScopeOption["scope"]) => (
    <Key
      key={scope}
      letter={letters[scope]}
      tone={scope === "once" && request.default_to_no !== true ? "go" : "plain"}
      isDisabled={isDead}
      onClick={() => allow(scope)}
    >
      {deciding.sent === "approve" ? t("calls.sending") : t(`calls.allow.${scope}`)}
      {scope === "once" && unseenLines > 0 && (
        <small class={styles.unseen}>
          {counted("calls.unseenLine", "calls.unseenLines", unseenLines)}
        </small>
      )}
    </Key>
  );
  const deny = (
    <Key key="deny" letter="n" tone="stop" isDisabled={isDead} onClick={() => panels.show("deny")}>
      {deciding.sent === "deny" ? t("calls.sending") : t("calls.denyWith")}
    </Key>
  );
  const [once, ...longer] = offered.map(keyOf);
  return (
    <div ref={panels.ref} class={styles.deciders}>
      {panels.open === undefined && (
        <div class={styles.keys}>
          {request.default_to_no === true ? [deny, once] : [once, deny]}
          {longer}
          <Key letter="c" isDisabled={isDead} onClick={() => panels.show("change")}>
            {t("calls.change")}
          </Key>
          {canWait && (
            <Key letter="h" isDisabled={isDead} onClick={() => panels.show("hold")}>
              {t("calls.hold")}
            </Key>
          )}
        </div>
      )}
      {panels.open === undefined && <Scopes scopes={request.scopes} agent={call.agent} />}
      {panels.open === "deny" && <DenyForm {...{ deciding, isDead }} onBack={panels.close} />}
      {panels.open === "hold" && <MoreTime {...{ deciding, isDead }} onDone={panels.close} />}
      {panels.open === "change" && <ChangeForm {...part} onBack={panels.close} />}
    </div>
  );
}

/** What each longer permission would allow, and where it would be written. */
function Scopes({
  scopes,
  agent,
}: {
  readonly scopes: readonly ScopeOption[];
  readonly agent: string | undefined;
}) {
  const longer = scopes.filter(({ scope }) => scope !== "once");
  if (longer.length === 0) return null;
  return (
    <dl class={styles.scopes}>
      {longer.map(({ scope, suggestions }) => {
        return (
          <div key={scope}>
            <dt>{t(`calls.allow.${scope}`)}</dt>
            {scopeRules(suggestions).map(({ rules, file }) => (
              <dd key={file}>
                <code>
                  <VisibleText text={rules.join(", ")} />
                </code>
                <span>{whereOf(file, agent)}</span>
              </dd>
            ))}
          </div>
        );
      })}
    </dl>
  );
}

/** How far it reaches, and where it is written. What a file has, a later session reads as well. */
function whereOf(file: ScopeRule["file"], agent: string | undefined): string {
  const written = file === undefined ? t("calls.file.none") : t(`calls.file.${file}`);
  if (agent !== undefined) return `${t("calls.forAgent", { agent })} · ${written}`;
  return file === undefined ? `${t("calls.forSession")} · ${written}` : written;
}
