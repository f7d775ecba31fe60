const NAME = "found";
const MAX_RANGES = 500;
const MAX_NODES = 20_000;

/** Marks every place in the document's transcript that has the text, where the browser can: nothing in it changes. */
export function paint(text: string): void {
  const log = document.querySelector('[role="log"]');
  if (!("highlights" in CSS) || !log) return;
  unpaint();
  if (text === "") return;
  // What was just scrolled to is in the document two frames later.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => CSS.highlights.set(NAME, new Highlight(...rangesOf(log, text)))),
  );
}

export function unpaint(): void {
  if ("highlights" in CSS) CSS.highlights.delete(NAME);
}

function rangesOf(root: Element, text: string): Range[] {
  const wanted = text.toLowerCase();
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let nodes = 0; nodes < MAX_NODES && walker.nextNode(); nodes += 1) {
    const node = walker.currentNode;
    const words = (node.nodeValue ?? "").toLowerCase();
    for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + wanted.length)) {
      // Lower case may be longer than what stands there.
      if (at + wanted.length > (node.nodeValue ?? "").length) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
      if (ranges.length >= MAX_RANGES) return ranges;
    }
  }
  return ranges;
}
