import type { McpServer, SessionInfo } from "@agentclientprotocol/sdk";
import { RequestError } from "@agentclientprotocol/sdk";
import { setTimeout as delay } from "node:timers/promises";
import type { SessionClient } from "../client/index.ts";
import { connectSession } from "../client/index.ts";
import type { ErrorCode } from "../wire/error-table.ts";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import type { Editor } from "./editor.ts";
import type { SessionHosts } from "./hosts.ts";
import { mcpConfigsOf } from "./mcp-servers.ts";
import type { Link, Watch } from "./session/acp-session.ts";
import { AcpSession } from "./session/acp-session.ts";
import type { HostStart } from "./session/open-host.ts";
import { openHost } from "./session/open-host.ts";
import type { SessionBeginning, FaceSettings } from "./start-flags.ts";

/** What an editor says of a session that it wants. */
export interface SessionWish {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServer[] | undefined;
}

const PAGE = 50;
/** A host that was told to end holds its session a little longer. */
const END_TRIES = 80;
const END_MS = 250;
/** Until Claude Code has named the models; an editor without them shows no menu. */
const CHOICES_MS = 10_000;

/** The sessions of one editor. */
export class Sessions {
  readonly #hosts: SessionHosts;
  readonly #settings: FaceSettings;
  readonly #editor: Editor;
  readonly #open = new Map<string, AcpSession>();

  constructor(hosts: SessionHosts, settings: FaceSettings, editor: Editor) {
    this.#hosts = hosts;
    this.#settings = settings;
    this.#editor = editor;
  }

  /** @throws -32002 for a session that this editor has not opened. */
  get(id: string): AcpSession {
    const session = this.#open.get(id);
    if (!session) throw sessionNotFound(id);
    return session;
  }

  start(wish: SessionWish): Promise<AcpSession> {
    return this.#opened({ type: "new" }, wish);
  }

  /** @throws -32002 when there is no such session. */
  async resume(id: string, wish: SessionWish): Promise<AcpSession> {
    return this.#opened({ type: "resume", sessionId: id }, wish).catch((error: unknown) => {
      throw isCode(error, "session_not_found") ? sessionNotFound(id) : error;
    });
  }

  fork(id: string, wish: SessionWish): Promise<AcpSession> {
    return this.#opened({ type: "fork", sessionId: id }, wish).catch((error: unknown) => {
      throw isCode(error, "session_not_found") ? sessionNotFound(id) : error;
    });
  }

  /** A page of the stored sessions. @param cursor what the page before returned. */
  async list(
    cwd: string | undefined,
    cursor: string | undefined,
  ): Promise<{ sessions: SessionInfo[]; nextCursor?: string }> {
    const from = cursor === undefined ? 0 : Number(cursor);
    if (!Number.isSafeInteger(from) || from < 0) {
      throw errorOf("invalid_params", `The cursor ${JSON.stringify(cursor)} is not one of ours.`);
    }
    const all = await this.#hosts.list(cwd);
    const sessions = all
      .slice(from, from + PAGE)
      .map(({ sessionId, cwd: at, title, lastUsed }) => ({
        sessionId,
        cwd: at,
        ...(title !== undefined && { title }),
        ...(lastUsed !== undefined && { updatedAt: lastUsed }),
      }));
    const next = from + PAGE;
    return { sessions, ...(next < all.length && { nextCursor: String(next) }) };
  }

  /** Ends its work and its process. The conversation can be loaded again. */
  async close(id: string): Promise<void> {
    const session = this.get(id);
    this.#open.delete(id);
    await session.shutDown();
  }

  /**
   * Removes the conversation, also one that this editor has not opened. A host that only waits for somebody is ended.
   *
   * @throws `session_in_use` when another client works with it.
   */
  async remove(id: string): Promise<void> {
    if (this.#open.has(id)) await this.close(id);
    else await this.#endIdle(id);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#hosts.remove(id);
      } catch (error) {
        // What is not there need not be removed.
        if (isCode(error, "session_not_found")) return;
        if (!isCode(error, "session_in_use") || attempt === END_TRIES) throw error;
        await delay(END_MS);
      }
    }
  }

  async #endIdle(id: string): Promise<void> {
    const socket = await this.#hosts.socketOf(id);
    if (socket === undefined) return;
    const client = await connectSession(socket, { since: "latest" });
    try {
      const others = client.clients.filter(
        (each) => !each.read_only && each.client !== client.name,
      );
      if (others.length === 0 && client.init.state === "idle") await client.shutdown();
    } finally {
      await client.close();
    }
  }

  /** Leaves all sessions; they go on. */
  async detach(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.detach()));
  }

  async #opened(beginning: SessionBeginning, wish: SessionWish): Promise<AcpSession> {
    const { cwd, additionalDirectories = [], mcpServers = [] } = wish;
    if (!cwd.startsWith("/")) {
      throw errorOf("invalid_params", `cwd must be an absolute path: ${cwd}`);
    }
    const request = { cwd, additionalDirectories, mcpServers: mcpConfigsOf(mcpServers) };
    const wait = Promise.withResolvers<void>();
    let watch: Watch = { onChoices: () => wait.resolve(), onClients: () => {} };
    const relay: Watch = {
      onChoices: (choices) => watch.onChoices(choices),
      onClients: () => watch.onClients(),
    };
    const { client, sessionId } = await this.#connect({ ...request, beginning }, undefined, relay);
    await withChoices(client, wait.promise);
    const resumed: SessionBeginning = { type: "resume", sessionId };
    const link: Link = {
      open: async (from, again) =>
        (await this.#connect({ ...request, beginning: resumed }, from, again)).client,
    };
    await this.#open.get(sessionId)?.detach();
    const session = new AcpSession(sessionId, client, this.#editor, link);
    watch = session.watch;
    this.#open.set(sessionId, session);
    return session;
  }

  #connect(request: HostStart, from: SessionClient["place"] | undefined, watch: Watch) {
    return openHost(this.#hosts, this.#settings, request, {
      name: this.#editor.name,
      ...(from === undefined
        ? { since: "latest" }
        : { since: from.since, logId: from.logId, epoch: from.epoch }),
      policy: { tries: 4, firstDelayMs: 100, maxDelayMs: 1_000, factor: 2 },
      onChoices: watch.onChoices,
      onClients: watch.onClients,
    });
  }
}

async function withChoices(client: SessionClient, told: Promise<void>): Promise<void> {
  if (client.choices.models !== undefined) return;
  const tooLong = Promise.withResolvers<void>();
  const timer = setTimeout(tooLong.resolve, CHOICES_MS);
  await Promise.race([told, tooLong.promise]);
  clearTimeout(timer);
}

const isCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof ClaudeCodeError && error.code === code;

/** As the SDK has it, with our own code beside it. */
function sessionNotFound(id: string): RequestError {
  const { code, message, hint } = errorOf("session_not_found", `There is no session ${id}.`);
  return new RequestError(-32002, `${message} ${hint}`, { sessionId: id, code, hint });
}
