/**
 * Asks the terminal for its size, and emits `resize` if it has changed. Node itself learns of a new size only between
 * two turns of its event loop: until then a burst of events would be drawn for the old size, and leave rows behind.
 */
export function refreshSize(output: object): void {
  const method: unknown = Reflect.get(output, "_refreshSize");
  if (typeof method === "function") Reflect.apply(method, output, []);
}
