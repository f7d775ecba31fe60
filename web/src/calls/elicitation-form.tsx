import type { FormField } from "agent-switchboard/client/core";
import { fieldValue, formFields } from "agent-switchboard/client/core";
import type { JsonObject, JsonValue } from "agent-switchboard/wire";
import { useState } from "preact/hooks";
import { Key } from "../ui/key.tsx";
import { t } from "../words/words.ts";
import { addressOf } from "./address.ts";
import type { RequestOf } from "./call.ts";
import { ElicitationField } from "./elicitation-field.tsx";
import { OtherKeys } from "./other-keys.tsx";
import type { TicketPart } from "./ticket-parts.ts";
import styles from "./ticket.module.css";

/** What an MCP server asks: a form to be filled in, or a page to be opened. */
export function ElicitationForm(part: TicketPart<RequestOf<"elicitation">>) {
  const { request, deciding, isDead } = part;
  const fields = request.mode === "form" ? formFields(request.schema) : [];
  const [written, setWritten] = useState(() => initialTexts(fields));
  const accept = (): void => {
    if (isDead) return;
    try {
      const content = request.mode === "form" ? contentOf(fields, written) : undefined;
      deciding.decide({ kind: "respond", action: "accept", ...(content && { content }) });
    } catch (error) {
      deciding.refuse(error);
    }
  };
  const decline = (): void => deciding.decide({ kind: "respond", action: "decline" });
  return (
    <form
      class={styles.deciders}
      onSubmit={(event) => {
        event.preventDefault();
        accept();
      }}
    >
      {fields.map((field) => (
        <ElicitationField
          key={field.name}
          field={field}
          text={written[field.name] ?? ""}
          onChange={(text) => setWritten({ ...written, [field.name]: text })}
        />
      ))}
      {request.url !== undefined && <OpenPage url={request.url} />}
      <OtherKeys {...part} own={{ n: decline }}>
        <Key type="submit" tone="go" isDisabled={isDead}>
          {deciding.sent === "respond"
            ? t("calls.sending")
            : t(request.mode === "form" ? "calls.sendForm" : "calls.pageDone")}
        </Key>
        <Key letter="n" tone="stop" isDisabled={isDead} onClick={decline}>
          {t("calls.decline")}
        </Key>
        <Key
          isDisabled={isDead}
          onClick={() => deciding.decide({ kind: "respond", action: "cancel" })}
        >
          {t("calls.leaveOpen")}
        </Key>
      </OtherKeys>
    </form>
  );
}

/** The page opens by the person's own click, and knows nothing of this one. */
function OpenPage({ url }: { readonly url: string }) {
  const address = addressOf(url);
  if (address?.isWeb !== true) return <p>{t("calls.notWeb")}</p>;
  return (
    <a class={styles.open} href={url} target="_blank" rel="noopener noreferrer">
      {t("calls.openPage", { host: address.host })}
    </a>
  );
}

const initialTexts = (fields: readonly FormField[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map((field) => [field.name, initialText(field)]));

function initialText({ initial }: FormField): string {
  if (initial === undefined) return "";
  return typeof initial === "string" ? initial : JSON.stringify(initial);
}

/** @throws in the person's language, when a text cannot be a value of its field. */
function contentOf(
  fields: readonly FormField[],
  written: Readonly<Record<string, string>>,
): JsonObject {
  const entries = fields.flatMap((field): [string, JsonValue][] => {
    const value = valueOf(field, written[field.name] ?? "");
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(entries);
}

function valueOf(field: FormField, text: string): JsonValue | undefined {
  // As the field keeps them: a value may have a comma in it.
  if (field.kind === "choices" && text !== "" && text !== "[]") return JSON.parse(text) as string[];
  try {
    return fieldValue(field, field.kind === "choices" ? "" : text);
  } catch {
    const word = text.trim() === "" ? "calls.fieldNeeded" : "calls.fieldUnfit";
    throw new Error(t(word, { field: field.title, kind: t(`calls.kind.${field.kind}`) }));
  }
}
