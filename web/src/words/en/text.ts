/** What renders texts: Markdown, code, terminals, changes. */
export const enText = {
  "markdown.picture": "Picture:",
  "markdown.table": "Table",
  "markdown.allRows": "Show all {n} rows",
  "markdown.done": "Done",
  "markdown.toDo": "To do",
  "code.block": "Code",
  "code.blockIn": "Code in {language}",
  "code.copy": "Copy",
  "code.copied": "Copied",
  "code.notCopied": "Not copied",
  "terminal.output": "Output",
  "terminal.cut": "Earlier output is not shown",
} as const;
