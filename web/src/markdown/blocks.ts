import type { AlignType, ListItem, RootContent, TableRow } from "mdast";
import { GROUP_CHARS, GROUP_LINES, GROUP_PARTS } from "./limits.ts";

/**
 * Parts that only ever get more: full groups keep their identity for ever, and the parts in them theirs. So who draws
 * them compares identities, and draws what is new.
 */
export interface Groups<Part> {
  readonly full: readonly (readonly Part[])[];
  readonly last: readonly Part[];
}

export interface FenceBlock {
  readonly type: "fence";
  readonly language: string | undefined;
  /** Groups of lines, with their line ends; all but the last are final. */
  readonly texts: readonly string[];
}

export interface ItemsBlock {
  readonly type: "items";
  readonly ordered: boolean;
  readonly start: number;
  /** All are final. */
  readonly items: Groups<ListItem>;
  /** The one that grows. */
  readonly open: ListItem | undefined;
}

export interface RowsBlock {
  readonly type: "rows";
  readonly head: TableRow;
  readonly align: readonly AlignType[];
  readonly rows: Groups<TableRow>;
  readonly open: TableRow | undefined;
}

/** A text that is shown as it is written. */
export interface PlainBlock {
  readonly type: "plain";
  readonly texts: readonly string[];
}

export type BlockNode = RootContent | FenceBlock | ItemsBlock | RowsBlock | PlainBlock;

export interface Block {
  /** Stays when the block grows, and when it ends. */
  readonly key: number;
  readonly node: BlockNode;
  /** It ends the text, and may grow. */
  readonly open: boolean;
  /** What has come since the node was parsed, as it is written. */
  readonly rest?: readonly string[];
}

export const noParts: Groups<never> = { full: [], last: [] };

export function addParts<Part>(groups: Groups<Part>, parts: readonly Part[]): Groups<Part> {
  if (parts.length === 0) return groups;
  const full = [...groups.full];
  let last = [...groups.last, ...parts];
  while (last.length >= GROUP_PARTS) {
    full.push(last.slice(0, GROUP_PARTS));
    last = last.slice(GROUP_PARTS);
  }
  return { full, last };
}

export const partsOf = <Part>({ full, last }: Groups<Part>): Part[] => [...full.flat(), ...last];

/** Adds a text to the last group, and begins new ones when it is full. */
export function addText(texts: readonly string[], text: string): string[] {
  const all = [...texts];
  let open = all.at(-1);
  if (open === undefined || isFull(open)) open = "";
  else all.pop();
  let at = 0;
  while (at < text.length) {
    const end = cutOf(text, at, open);
    open += text.slice(at, end);
    at = end;
    if (at < text.length) {
      all.push(open);
      open = "";
    }
  }
  if (open !== "") all.push(open);
  return all;
}

const isFull = (text: string): boolean =>
  text.length >= GROUP_CHARS || linesIn(text) >= GROUP_LINES;

function linesIn(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Where the open group is full: after 64 lines or 4,096 characters, and not between the halves of a character. */
function cutOf(text: string, from: number, open: string): number {
  const most = Math.min(text.length, from + Math.max(1, GROUP_CHARS - open.length));
  let lines = linesIn(open);
  for (let at = text.indexOf("\n", from); at >= 0 && at < most; at = text.indexOf("\n", at + 1)) {
    if (++lines >= GROUP_LINES) return at + 1;
  }
  const isHigh = (text.charCodeAt(most - 1) & 0xfc_00) === 0xd8_00;
  return isHigh && most < text.length ? most + 1 : most;
}

/** A node of the parser as a block. Lists, tables and fences have the same form as those that grow. */
export function blockOf(node: RootContent): BlockNode {
  if (node.type === "list") {
    const items = addParts<ListItem>(noParts, node.children);
    return {
      type: "items",
      ordered: node.ordered ?? false,
      start: node.start ?? 1,
      items,
      open: undefined,
    };
  }
  if (node.type === "table") {
    const [head, ...rows] = node.children;
    if (head === undefined) return node;
    return {
      type: "rows",
      head,
      align: node.align ?? [],
      rows: addParts<TableRow>(noParts, rows),
      open: undefined,
    };
  }
  if (node.type === "code") {
    return { type: "fence", language: node.lang ?? undefined, texts: addText([], node.value) };
  }
  return node;
}
