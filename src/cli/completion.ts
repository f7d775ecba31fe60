import type { Option } from "commander";
import { Argument, Command } from "commander";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

const examples = (name: string): string => `
Examples:
  source <(${name} completion bash)
      for this shell; put the line into ~/.bashrc to keep it
  source <(${name} completion zsh)
      the same for zsh, in ~/.zshrc
  ${name} completion fish > ~/.config/fish/completions/${name}.fish`;

/** `completion SHELL`: prints a script with which the shell completes this program's commands and options. */
export function completionCommand(program: Command): Command {
  return new Command("completion")
    .description("print a script that lets your shell complete commands and options")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", examples(program.name()))
    .action((shell: Shell) => {
      process.stdout.write(completionScript(program, shell));
    });
}

/** What is known of a command, and of the program itself under the name "". */
interface Known {
  readonly name: string;
  readonly description: string;
  readonly options: readonly Option[];
  /** The first argument, when it is one of a few fixed words. */
  readonly words: readonly string[];
  readonly wordsDescription: string;
}

/** A script that does not call the program when it runs, so that the Tab key stays quick. So it knows no ids. */
export function completionScript(program: Command, shell: Shell): string {
  const known = [program, ...program.commands].map((command): Known => {
    const [first] = command.registeredArguments;
    return {
      name: command === program ? "" : command.name(),
      description: command.description(),
      options: command.createHelp().visibleOptions(command),
      words:
        first?.argChoices ??
        command.commands.filter(() => command !== program).map((inner) => inner.name()),
      wordsDescription: first?.argChoices ? first.description : "what to do",
    };
  });
  if (shell === "fish") return fishScript(program.name(), known);
  const start =
    shell === "zsh" ? "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" : "";
  return start + bashScript(program.name(), known);
}

const flagsOf = (options: readonly Option[]): string[] =>
  options.flatMap(({ long, short }) => long ?? short ?? []);

function bashScript(program: string, known: readonly Known[]): string {
  const name = `_${program.replaceAll("-", "_")}`;
  const commands = known.map((each) => each.name).filter((each) => each !== "");
  const words = known.map(({ name: command, options, words: fixed }) => {
    const first = command === "" ? commands : fixed;
    return `    "${command}") first="${first.join(" ")}" words="${flagsOf(options).join(" ")}" ;;`;
  });
  const values = known.flatMap(({ name: command, options }) =>
    options
      .filter(({ argChoices }) => argChoices !== undefined)
      .map(
        ({ long, argChoices = [] }) =>
          `    "${command} ${long}") words="${argChoices.join(" ")}" ;;`,
      ),
  );
  return `${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" first="" words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case " ${commands.join(" ")} " in *" \${COMP_WORDS[at]} "*) command="\${COMP_WORDS[at]}"; break ;; esac
  done
  case "$command" in
${words.join("\n")}
  esac
  for ((at++; at < COMP_CWORD; at++)); do
    case " $first " in *" \${COMP_WORDS[at]} "*) first="" ;; esac
  done
  words="$first $words"
  case "$command $before" in
${values.join("\n")}
    *) ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F ${name} ${program}
`;
}

function fishScript(program: string, known: readonly Known[]): string {
  const commands = known.filter(({ name }) => name !== "");
  const names = commands.map(({ name }) => name).join(" ");
  const lines = commands.map(
    ({ name, description }) =>
      `complete -c ${program} -n "not __fish_seen_subcommand_from ${names}" -a ${name} -d ${quoted(description)}`,
  );
  const options = known.flatMap(({ name, options: all }) =>
    all.map(({ long, short, description, argChoices, required }) => {
      const when =
        name === ""
          ? `not __fish_seen_subcommand_from ${names}`
          : `__fish_seen_subcommand_from ${name}`;
      const flag = [long && `-l ${long.slice(2)}`, short && `-s ${short.slice(1)}`].filter(Boolean);
      const value = argChoices ? ` -x -a ${quoted(argChoices.join(" "))}` : required ? " -r" : "";
      return `complete -c ${program} -n "${when}" ${flag.join(" ")}${value} -d ${quoted(description)}`;
    }),
  );
  const words = commands
    .filter(({ words: fixed }) => fixed.length > 0)
    .map(({ name, words: fixed, wordsDescription }) => {
      const all = fixed.join(" ");
      const when = `__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${all}`;
      return `complete -c ${program} -n "${when}" -a ${quoted(all)} -d ${quoted(wordsDescription)}`;
    });
  return `${[...lines, ...words, ...options].join("\n")}\n`;
}

/** In single quotes, as fish reads them. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
