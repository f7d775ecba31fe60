import type { FileChange, JsonObject, JsonValue } from "agent-switchboard/wire";
import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { DiffView } from "../code/diff-view.tsx";
import { VisibleText } from "../characters/visible-text.tsx";
import { t } from "../words/words.ts";
import { AddressText } from "./address-text.tsx";
import type { RequestOf } from "./call.ts";
import { InputTree } from "./input-tree.tsx";
import { LargeText, WholeText } from "./large-text.tsx";
import { isBlobRef } from "./blobs.ts";
import styles from "./what.module.css";

/** What will happen if a call is allowed, the whole of it. */
export function What({ request }: { readonly request: RequestOf<"approval_request"> }) {
  const { description, reason, blocked_path: blocked } = request;
  // Elsewhere it only repeats, cut, what is shown whole.
  const isTold =
    request.tool === "Bash" &&
    description !== undefined &&
    description !== request.input["command"];
  return (
    <>
      {isTold && (
        <p>
          <VisibleText text={description} />
        </p>
      )}
      <Input request={request} />
      {reason !== undefined && (
        <p class={styles.why}>
          {t("calls.why")} <VisibleText text={reason} />
        </p>
      )}
      {blocked !== undefined && (
        <p class={styles.why}>
          {t("calls.outside")} <VisibleText text={blocked} />
        </p>
      )}
    </>
  );
}

function Input({ request }: { readonly request: RequestOf<"approval_request"> }) {
  const { tool, input, changes } = request;
  if (changes !== undefined && changes.length > 0) {
    return (
      <>
        {changes.map((change) => (
          <Change key={change.path} change={change} />
        ))}
        <Rest input={input} but={changes.every(({ hunks }) => hunks) ? shownByChanges : []} />
      </>
    );
  }
  if (tool === "Bash" && isText(input["command"])) {
    return (
      <>
        <Block>
          <TextOf value={input["command"]} />
        </Block>
        <Rest input={input} but={["command", "description"]} />
      </>
    );
  }
  if (typeof input["url"] === "string") {
    return (
      <>
        <Block>
          <AddressText text={input["url"]} />
        </Block>
        <Rest input={input} but={["url"]} />
      </>
    );
  }
  return <InputTree value={input} />;
}

function Change({ change }: { readonly change: FileChange }) {
  const load = useContext(WholeText);
  const loadPatch = load && (({ blob }: { readonly blob: string }) => load(blob));
  return <DiffView change={change} isFlat loadPatch={loadPatch} />;
}

/** Fields that a diff shows. */
const shownByChanges = [
  "file_path",
  "notebook_path",
  "content",
  "old_string",
  "new_string",
  "new_source",
  "edits",
];

const isText = (value: JsonValue | undefined): value is string | JsonObject =>
  typeof value === "string" || isBlobRef(value);

function TextOf({ value }: { readonly value: string | JsonObject }) {
  if (isBlobRef(value)) return <LargeText text={value} />;
  return <VisibleText text={typeof value === "string" ? value : JSON.stringify(value)} />;
}

function Block({ children }: { readonly children: ComponentChildren }) {
  return (
    <pre class={styles.block}>
      <code>{children}</code>
    </pre>
  );
}

/** The fields that have no form of their own: no field is left out. */
function Rest({ input, but }: { readonly input: JsonObject; readonly but: readonly string[] }) {
  const rest = Object.entries(input).filter(([name]) => !but.includes(name));
  return rest.length === 0 ? null : <InputTree value={Object.fromEntries(rest)} />;
}
