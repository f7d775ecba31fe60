/** An older CLI does not report which message a turn answers, so no client could wait for an answer. */
export const OLDEST_CLI = "2.1.206";

/** From this version the CLI supports tools that live in our own process. */
export const LIVE_SERVERS_SINCE = "2.1.212";

/** From this version the CLI has `--await-initialize`: it does nothing before it has read the SDK's first request. */
const AWAITS_INITIALIZE = "2.1.261";

/** From this version the CLI reads MCP servers from that request. */
const READS_SERVERS_AT_INITIALIZE = "2.1.326";

/**
 * The CLI versions on which the recovery suite (test/e2e/recovery-*.test.ts) and `switchboard prove` passed;
 * docs/proofs.md says in how many rounds. Recovery relies on undocumented behaviour, so the range is widened only
 * after such a run.
 */
export const provenRange = { first: "2.1.325", last: "2.1.327", except: [] as readonly string[] };

/** The proven versions, in words. */
export const provenVersions: string = [
  `${provenRange.first} to ${provenRange.last}`,
  ...provenRange.except.map((version) => `not ${version}`),
].join(", ");

/** What this package knows of a version of Claude Code. */
export interface CliSupport {
  /** The version, such as `2.1.326`; "" when it is not known. */
  version: string;
  /**
   * `too_old`: sessions do not start. `proven`: recovery has passed its tests on it. `untested`: it has not been
   * tried. `unknown`: the CLI does not say its version.
   */
  kind: "too_old" | "proven" | "untested" | "unknown";
  /** What does not work with this version, one sentence each. */
  off: string[];
  takesLiveServers: boolean;
  /** The CLI does nothing, such as resuming a cut turn, before it knows its prompt, hooks and servers. */
  awaitsInitialize: boolean;
  readsServersAtInitialize: boolean;
}

/** What we know of a version of the CLI. A pure function of the version. */
export function cliSupport(version: string): CliSupport {
  const isKnown = isVersion(version);
  const has = (first: string): boolean => isKnown && isAtLeast(version, first);
  const kind = isKnown ? kindOf(version) : "unknown";
  const awaitsInitialize = has(AWAITS_INITIALIZE);
  return {
    version: isKnown ? version : "",
    kind,
    off: kind === "too_old" ? ["Sessions do not start."] : offOf(kind, awaitsInitialize),
    // A CLI that does not report its version gets the benefit of the doubt.
    takesLiveServers: !isKnown || has(LIVE_SERVERS_SINCE),
    awaitsInitialize,
    readsServersAtInitialize: has(READS_SERVERS_AT_INITIALIZE),
  };
}

function kindOf(version: string): CliSupport["kind"] {
  if (!isAtLeast(version, OLDEST_CLI)) return "too_old";
  const { first, last, except } = provenRange;
  const inRange = isAtLeast(version, first) && isAtLeast(last, version);
  return inRange && !except.includes(version) ? "proven" : "untested";
}

function offOf(kind: CliSupport["kind"], awaitsInitialize: boolean): string[] {
  if (kind === "proven") return [];
  return [
    "After a crash, a request that waits for an answer is asked again under a new id.",
    ...(awaitsInitialize ? [] : ["After a crash, a message asks the model to continue its turn."]),
  ];
}

const isVersion = (text: string): boolean => /^\d+\.\d+\.\d+/.test(text);

function isAtLeast(version: string, least: string): boolean {
  const [is, wanted] = [numbersOf(version), numbersOf(least)];
  const differs = is.findIndex((part, index) => part !== wanted[index]);
  return differs === -1 || (is[differs] ?? 0) > (wanted[differs] ?? 0);
}

const numbersOf = (version: string): number[] =>
  (/^\d+\.\d+\.\d+/.exec(version)?.[0] ?? "").split(".").map(Number);
