import type { WebSocket } from "ws";

/** Closes a WebSocket for a reason. A paused one would not hear the browser's good-bye. */
export function closeWebSocket(browser: WebSocket, code: number, reason: string): void {
  browser.resume();
  browser.close(code, reason);
}
