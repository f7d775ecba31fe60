import type { enText } from "../en/text.ts";

export const jaText: Record<keyof typeof enText, string> = {
  "markdown.picture": "画像:",
  "markdown.table": "表",
  "markdown.allRows": "全{n}行を表示",
  "markdown.done": "完了",
  "markdown.toDo": "未完了",
  "code.block": "コード",
  "code.blockIn": "コード ({language})",
  "code.copy": "コピー",
  "code.copied": "コピーしました",
  "code.notCopied": "コピーできませんでした",
  "terminal.output": "出力",
  "terminal.cut": "これより前の出力は表示されません",
};
