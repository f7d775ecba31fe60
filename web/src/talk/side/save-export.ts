import { KEY_HEADER } from "agent-switchboard/client/core";

/** Fetches a file with the page's key, which a plain link could not carry, and has the browser save it. */
export async function saveExport(key: string, agent: string, ending: string): Promise<void> {
  const file = `${agent}.${ending}`;
  const answer = await fetch(`/api/export/session/${encodeURIComponent(file)}`, {
    headers: { [KEY_HEADER]: key },
  });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
