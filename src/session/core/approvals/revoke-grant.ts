import type { Engine } from "../../../engine/index.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { isSameJson } from "../../../wire/json.ts";
import type { SessionContext } from "../session-context.ts";
import { removeFromSettings } from "./settings-rules.ts";
import { rulesOf, spellRule } from "./standing-grants.ts";

/** By CLI and grant: what a running CLI has yet to be told. When the command is sent again, it is told again. */
const untold = new WeakMap<Engine, Map<string, readonly JsonObject[]>>();

/**
 * Takes back what a person allowed for the session or for always. Taking it back twice is once.
 *
 * The order makes it safe to send again after a crash: first the settings, then the log, then the running CLI. The next
 * CLI is started without the grant.
 *
 * @throws `unknown_request`; `execution_failed` when the settings cannot be changed, or the CLI refuses.
 */
export async function revokeGrant(
  { grant: id, by, engine }: { grant: string; by: string | undefined; engine: Engine | undefined },
  { recorder }: Pick<SessionContext, "recorder">,
): Promise<void> {
  const { given, revoked } = recorder.state;
  const grant = given.get(id);
  if (!grant) {
    if (revoked.has(id)) return tellCli(engine, id, recorder);
    throw errorOf("unknown_request", `There is no grant ${id}.`, {
      hint: "Use the id of a grant that status lists in grants.",
    });
  }
  const { file, rule } = grant;
  // What another grant allows as well stays allowed.
  const others = [...given.values()].flatMap((each) => (each === grant ? [] : each.granted));
  const granted = grant.granted.filter(
    (update) => !others.some((other) => isSameJson(other, update)),
  );
  if (file !== undefined) removeFromSettings(file, granted);
  recorder.record({ type: "grant_revoked", grant: id, rule, ...(by !== undefined && { by }) });
  if (engine) untold.set(engine, new Map(untold.get(engine)).set(id, granted));
  await tellCli(engine, id, recorder);
}

async function tellCli(
  engine: Engine | undefined,
  id: string,
  recorder: Pick<SessionContext["recorder"], "durable">,
): Promise<void> {
  await recorder.durable();
  const granted = engine && untold.get(engine)?.get(id);
  if (!granted) return;
  await askAgain(engine, granted);
  untold.get(engine)?.delete(id);
}

/**
 * The running CLI cannot be told to forget a rule. A rule that asks takes precedence over the ones that allow, whatever
 * they come from.
 */
async function askAgain(engine: Engine, granted: readonly JsonObject[]): Promise<void> {
  try {
    await engine.ready();
    await engine.askAbout(askingRules(granted));
  } catch (thrown) {
    // The next CLI does not get the grant.
    if (engine.open) throw thrown;
  }
}

/** Rules that ask about at least what the updates allow. */
export function askingRules(granted: readonly JsonObject[]): string[] {
  const rules = rulesOf(granted, "allow").map((rule) =>
    // A path that begins with one slash counts from the place of its settings, which is another one here.
    rule.toolName !== "Bash" && /^\/(?!\/)/.test(rule.ruleContent ?? "")
      ? rule.toolName
      : spellRule(rule),
  );
  const directories = granted.flatMap((update) => update["directories"] ?? []).map(String);
  const inside = directories.flatMap((path) => [`Read(/${path}/**)`, `Edit(/${path}/**)`]);
  // A command may read in a directory, and rules for commands do not know paths.
  const commands = directories.length > 0 ? ["Bash"] : [];
  return [...new Set([...rules, ...inside, ...commands])];
}
