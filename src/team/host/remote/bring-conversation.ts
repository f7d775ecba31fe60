import type { AgentId } from "../../../wire/team/messages.ts";
import { ClaudeCodeError } from "../../../wire/errors.ts";
import type { AgentSpec } from "../../file/team.ts";
import { askHost } from "./ask-host.ts";
import type { JoinedHost } from "./hosts.ts";

export interface Bringing {
  readonly agent: AgentId;
  readonly isolation: AgentSpec["isolation"];
  /** The session of Claude Code. */
  readonly session: string;
  readonly from: JoinedHost;
  readonly to: JoinedHost;
  readonly epoch: number;
  /** Under which it will run there. */
  readonly term: number;
  /** Called with the share that has been copied, from 0 to 1. */
  readonly onProgress: (share: number) => void;
}

export type Brought =
  | { readonly at: "brought"; readonly files: number; readonly bytes: number }
  /** The host that has it cannot give it. `mayPass`: its connection broke. */
  | { readonly at: "not_given"; readonly why: string; readonly mayPass: boolean }
  /** The other host cannot take it. */
  | { readonly at: "not_taken"; readonly why: string };

const PART_BYTES = 512 * 1024;
const ANSWER_MS = 60_000;
/** To add up to 2 GiB takes long on a slow disk. */
const CHECK_MS = 600_000;

/** Copies the files of a conversation that has no process now to another host. @throws the signal's reason. */
export async function bringConversation(
  { agent, isolation, session, from, to, epoch, term, onProgress }: Bringing,
  signal: AbortSignal,
): Promise<Brought> {
  const place = { agent, session, isolation };
  const newPlace = { ...place, epoch, term };
  const within = (ms: number): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  let isGiving = true;
  try {
    const { files } = await askHost(
      from.tunnel,
      { type: "list_files", ...place },
      within(CHECK_MS),
    );
    if (files.length === 0)
      return { at: "not_given", why: `${from.name} does not have it`, mayPass: false };
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    let copied = 0;
    for (const { name, bytes: size } of files) {
      for (let offset = 0; offset < size;) {
        isGiving = true;
        const limit = Math.min(PART_BYTES, size - offset);
        const { data } = await askHost(
          from.tunnel,
          { type: "read_file", ...place, name, offset, limit },
          within(ANSWER_MS),
        );
        const length = Buffer.byteLength(data, "base64");
        if (length === 0)
          return { at: "not_given", why: `${name} has become shorter`, mayPass: false };
        isGiving = false;
        await askHost(
          to.tunnel,
          { type: "write_file", ...newPlace, name, offset, data },
          within(ANSWER_MS),
        );
        offset += length;
        copied += length;
        onProgress(copied / bytes);
      }
    }
    isGiving = false;
    await askHost(to.tunnel, { type: "install_files", ...newPlace, files }, within(CHECK_MS));
    return { at: "brought", files: files.length, bytes };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    if (!isGiving) return { at: "not_taken", why };
    // A time-out is no error of ours.
    const mayPass = !(error instanceof ClaudeCodeError) || error.retryable;
    return { at: "not_given", why, mayPass };
  }
}
