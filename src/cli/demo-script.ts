import type { ScriptInput } from "../rehearsal/script-schema.ts";

export const demoRequest = "Write a small greeting program and run it.";

const program = 'console.log("Hello, " + (process.argv[2] ?? "world") + "!");\n';

/** What the rehearsed model says and does. The tools that it calls are real. */
export const demoScript = (directory: string): ScriptInput => ({
  name: "demo",
  delay_ms: [150, 400],
  delta_delay_ms: [10, 40],
  rules: [
    {
      when: { user: demoRequest },
      thinking:
        "A file of one line is enough. I write it first, then I run it to see that it works.",
      text: "I write the program first.",
      tools: [{ name: "Write", input: { file_path: `${directory}/greet.mjs`, content: program } }],
    },
    {
      when: { tool_result: "Write" },
      text: "Now I run it.",
      tools: [{ name: "Bash", input: { command: "node greet.mjs Switchboard" } }],
    },
    {
      when: { tool_result: { name: "Bash", text: "/(Hello, .+!)/" } },
      text: "It works. The program answered: $1",
    },
    {
      when: { tool_result: "Bash" },
      text: "The program did not run as I expected. It said: ${tool_result}",
    },
  ],
});
