import { isRecord } from "../../wire/json.ts";

/** The source of a notebook's cell, named by its id or, as Claude Code does, by `cell-N`; undefined if there is none. */
export function cellSource(notebook: string, cellId: string): string | undefined {
  const cells = cellsOf(notebook);
  const byId = cells.find((cell) => cell["id"] === cellId);
  const number = /^cell-(\d+)$/.exec(cellId)?.[1];
  const cell = byId ?? (number === undefined ? undefined : cells[Number(number)]);
  return cell && sourceOf(cell["source"]);
}

function cellsOf(notebook: string): Record<string, unknown>[] {
  const parsed = parse(notebook);
  const cells = isRecord(parsed) ? parsed["cells"] : undefined;
  return Array.isArray(cells) ? (cells as unknown[]).filter(isRecord) : [];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The format has it as a text or as a list of lines. */
const sourceOf = (source: unknown): string =>
  Array.isArray(source) ? source.join("") : typeof source === "string" ? source : "";
