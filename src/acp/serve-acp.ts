import type { Readable, Writable } from "node:stream";
import type {
  AgentConnection,
  AgentContext,
  InitializeRequest,
  LoadSessionResponse,
} from "@agentclientprotocol/sdk";
import { agent, methods } from "@agentclientprotocol/sdk";
import * as z from "zod";
import { abilitiesOf, noAbilities } from "./abilities.ts";
import type { Editor } from "./editor.ts";
import { faceName } from "./editor.ts";
import type { SessionHosts } from "./hosts.ts";
import { initializeAnswer } from "./initialize.ts";
import type { AcpSession } from "./session/acp-session.ts";
import { Sessions } from "./sessions.ts";
import type { FaceSettings } from "./start-flags.ts";
import { stdioStream } from "./stdio-stream.ts";
import { errorOf } from "../wire/errors.ts";
import { toRequestError } from "./to-request-error.ts";

export interface FaceOptions extends FaceSettings {
  readonly version: string;
  readonly hosts: SessionHosts;
  readonly input: Readable;
  readonly output: Writable;
}

/** Serves one editor. */
export interface Face {
  /** Resolves when the editor has closed its end, or `detach` was called. All sessions go on. */
  readonly ended: Promise<void>;
  detach(): void;
}

/** `session/fork` has no place in the stable SDK yet. */
const ForkRequestSchema = z.object({
  sessionId: z.string(),
  cwd: z.string(),
  additionalDirectories: z.array(z.string()).optional(),
  mcpServers: z.array(z.any()).optional(),
});

/**
 * An agent of the Agent Client Protocol, version 1: a client of sessions that hosts of their own hold. So the end of the
 * editor, whatever its form, ends no turn.
 */
export function serveAcp({ version, hosts, input, output, ...settings }: FaceOptions): Face {
  let abilities = noAbilities;
  let name = faceName(undefined, abilities);
  let connection: AgentConnection | undefined;
  const client = (): AgentContext => {
    if (!connection) throw new Error("The editor is not connected.");
    return connection.client;
  };
  const editor: Editor = {
    get abilities() {
      return abilities;
    },
    get name() {
      return name;
    },
    get isGone() {
      return connection?.signal.aborted ?? false;
    },
    update: (sessionId, update) =>
      client().notify(methods.client.session.update, { sessionId, update }),
    askPermission: async (request, signal) => {
      const { outcome } = await client().request(
        methods.client.session.requestPermission,
        request,
        withdrawable(signal),
      );
      return outcome;
    },
    elicit: (request, signal) =>
      client().request(methods.client.elicitation.create, request, withdrawable(signal)),
  };
  const sessions = new Sessions(hosts, settings, editor);

  const meet = ({ clientCapabilities, clientInfo }: InitializeRequest): void => {
    abilities = abilitiesOf(clientCapabilities);
    name = faceName(clientInfo?.name, abilities);
  };

  const app = agent({ name: "agent-socket" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      meet(params);
      return initializeAnswer(version);
    })
    .onRequest(methods.agent.authenticate, inOurTerms(noLogin))
    .onRequest(
      methods.agent.session.new,
      inOurTerms(async ({ params }) => {
        const session = await sessions.start(params);
        return { sessionId: session.id, ...opened(session) };
      }),
    )
    .onRequest(
      methods.agent.session.load,
      inOurTerms(async ({ params }) => {
        const session = await sessions.resume(params.sessionId, params);
        await session.replay();
        return opened(session);
      }),
    )
    .onRequest(
      methods.agent.session.resume,
      inOurTerms(async ({ params }) => opened(await sessions.resume(params.sessionId, params))),
    )
    .onRequest(
      "session/fork",
      ForkRequestSchema,
      inOurTerms(async ({ params }) => {
        const session = await sessions.fork(params.sessionId, params);
        return { sessionId: session.id, ...opened(session) };
      }),
    )
    .onRequest(
      methods.agent.session.list,
      inOurTerms(({ params }) =>
        sessions.list(params.cwd ?? undefined, params.cursor ?? undefined),
      ),
    )
    .onRequest(
      methods.agent.session.close,
      inOurTerms(async ({ params }) => {
        await sessions.close(params.sessionId);
        return {};
      }),
    )
    .onRequest(
      methods.agent.session.delete,
      inOurTerms(async ({ params }) => {
        await sessions.remove(params.sessionId);
        return {};
      }),
    )
    .onRequest(
      methods.agent.session.setMode,
      inOurTerms(async ({ params }) => {
        await sessions.get(params.sessionId).setConfig("mode", params.modeId);
        return {};
      }),
    )
    .onRequest(
      methods.agent.session.setConfigOption,
      inOurTerms(async ({ params }) => ({
        configOptions: await sessions
          .get(params.sessionId)
          .setConfig(params.configId, params.value),
      })),
    )
    .onRequest(
      methods.agent.session.prompt,
      inOurTerms(({ params, signal }) => sessions.get(params.sessionId).prompt(params, signal)),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId).cancel();
    });

  const open = app.connect(stdioStream(input, output));
  connection = open;
  const ended = open.closed.then(() => sessions.detach());
  return { ended, detach: () => open.close() };
}

function opened(session: AcpSession): LoadSessionResponse {
  session.noteShown();
  // Editors pass over updates of a session that they do not know yet.
  setImmediate(() => session.begin());
  return { modes: session.modes, configOptions: session.configOptions };
}

const withdrawable = (cancellationSignal: AbortSignal) => ({
  cancellationSignal,
  stopWaitingOnCancel: true,
});

/** Failures get the form of ACP. */
function inOurTerms<Context, Response>(
  handle: (context: Context) => Response | Promise<Response>,
): (context: Context) => Promise<Response> {
  return async (context) => {
    try {
      return await handle(context);
    } catch (error) {
      throw toRequestError(error);
    }
  };
}

function noLogin(): never {
  throw errorOf("invalid_params", "There is no such way to log in.", {
    hint: "Log in with 'claude', or set a key.",
  });
}
