import { stringify } from "yaml";

const evil = "http://evil.test";
const esc = "\u001B";

/** Characters that nobody sees, or that turn what stands around them. */
const unseen = "\u202Eabc\u202C \u2066d\u2069 \u200Be\u200F \uFEFFf \u00ADg \u{E0041}h";

/** What may stand in any one line: markup, addresses, escapes of a terminal, and characters that are not seen. */
export const hostileLine = (place: string): string =>
  `${place} ${unseen} <img src=${evil}/${place} onerror=pwned=1><svg/onload=pwned=1><script>pwned=1</script>` +
  `<math><mi xlink:href="javascript:pwned=1">x</mi></math><style>*{background:url(${evil}/s)}</style>` +
  `[a](javascript:pwned=1) ![b](${evil}/p) <a href="javascript:pwned=1">c</a> {{x}} ` +
  `${esc}]8;;${evil}\u0007l${esc}]8;;\u0007${esc}[31mred${esc}[0m end-of-${place}`;

const line = hostileLine;
/** Names that objects have without having been given them. */
export const lead = "constructor";
export const other = "toString";
const third = "hasOwnProperty";

export const hostileTeam = stringify({
  name: "hostile",
  lead,
  confirm_roles: false,
  timeouts: { idle: 3600 },
  budget: { usd: 50, task: { turns: 90 } },
  policy: [{ tool: "Bash", match: `rm ${line("match")}`, action: "deny", reason: line("reason") }],
  agents: {
    [lead]: {
      description: line("description"),
      prompt: line("prompt"),
      budget: { turns: 50 },
      tools: { deny: [`Bash(${line("deny")})`] },
      mcp: { valueOf: { command: "false", args: [line("argument")] } },
    },
    [other]: { description: "helps", prompt: line("prompt-2"), may_message: [lead] },
    [third]: { description: "sleeps", prompt: "p", may_message: [lead] },
  },
});

const send = (to: string, content: string, metadata: object = {}): object => ({
  name: "mcp__team__send_message",
  input: { to, content, thinking: line("mail-thought"), metadata },
});

/** One of each call that a person is asked about, or that a card shows. */
const calls = [
  {
    name: "Bash",
    input: { command: `touch x # ${line("command")}`, description: line("call-description") },
  },
  { name: "Write", input: { file_path: `/${line("file")}`, content: line("content") } },
  {
    name: "NoSuchTool",
    input: JSON.parse(
      `{"constructor": {"prototype": 1}, "toString": ${JSON.stringify(line("value"))}}`,
    ) as object,
  },
];
const question = {
  name: "AskUserQuestion",
  input: {
    questions: [
      {
        question: "constructor",
        header: "toString",
        multiSelect: false,
        options: [
          { label: line("label"), description: line("option") },
          { label: "valueOf", description: "plain" },
        ],
      },
      {
        question: line("question"),
        header: "Several",
        multiSelect: true,
        options: [
          { label: "toString", description: "one" },
          { label: "hasOwnProperty", description: "two" },
        ],
      },
    ],
  },
};

const words = `${line("words")}\n\n\`\`\`js\n${line("code")}\n\`\`\`\n\n- ${line("item")}\n\n| ${line("head").replaceAll("|", "")} |\n|-|\n| y |`;

export const hostileScript = stringify({
  rules: [
    { when: { agent: other, user: "/never/" }, text: "never" },
    { when: { peer: "/part/" }, text: line("answer"), thinking: line("peer-thought") },
    {
      when: { user: "/^mail/" },
      text: line("said"),
      thinking: line("thought"),
      tools: [
        send(other, line("part")),
        send(third, line("part-late"), { ttl: 1 }),
        send("nobody", line("part-refused")),
        send(other, `part ${"x".repeat(200_000)}`),
      ],
    },
    { when: { user: "/^mail/", tool_result: "/./" }, text: words },
    { when: { user: "/^calls/", tool_result: "/./" }, text: words },
    { when: { user: "/^calls/" }, text: line("said"), thinking: line("thought"), tools: calls },
    { when: { user: "/^question/", tool_result: "/./" }, text: "asked" },
    { when: { user: "/^question/" }, tools: [question] },
    { when: { user: "/^plan/", tool_result: "/./" }, text: "planned" },
    {
      when: { user: "/^plan/" },
      tools: [{ name: "ExitPlanMode", input: { plan: line("plan") } }],
    },
  ],
  default: { text: line("default") },
});
