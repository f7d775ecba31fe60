// The door of this layer: a notifier, what it reads, and how it tells.
export { command } from "./command.ts";
export type { IfUnsure } from "./ledger.ts";
export type { News, NewsKind } from "./news.ts";
export { Notifier } from "./notifier.ts";
export type { Report } from "./notifier.ts";
export { SessionSource } from "./session-source.ts";
export type { Source } from "./source.ts";
export { TeamSource } from "./team-source.ts";
export type { Sink } from "./told-news.ts";
export { webhook } from "./webhook.ts";
export type { WebhookFormat } from "./webhook.ts";
