import type { SlashCommand } from "agent-switchboard/wire";

const MAX_SHOWN = 30;

/** Commands whose name, or another name of theirs, fits: those that begin like what was typed come first. */
export function fittingCommands(
  commands: readonly SlashCommand[],
  query: string,
): readonly SlashCommand[] {
  const typed = query.toLowerCase();
  const rank = ({ name, aliases = [] }: SlashCommand): number => {
    const names = [name, ...aliases].map((each) => each.toLowerCase());
    if (names.some((each) => each.startsWith(typed))) return 0;
    return names.some((each) => each.includes(typed)) ? 1 : 2;
  };
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((each) => each.rank < 2)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, MAX_SHOWN)
    .map(({ command }) => command);
}
