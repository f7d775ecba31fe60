/** A lead that a person talks to, and an agent that the lead may ask. */
export const pair = `
name: pair
lead: boss
confirm_roles: false
agents:
  boss: { description: leads the work, prompt: You lead., may_message: [coder] }
  coder: { description: writes programs, prompt: You write., may_message: [boss] }
`;

const touches = Array.from(
  { length: 6 },
  (_, at) => `      - { name: Bash, input: { command: "touch file-${at}" } }`,
).join("\n");

/** What the model of the pair says to what a person says. */
export const script = `
rules:
  - when: { user: '/touch (\\w+)/' }
    text: I touch it.
    tools:
      - { name: Bash, input: { command: "touch $1" } }
  - when: { user: /storm/ }
    text: Six calls.
    tools:
${touches}
  - when: { tool_result: Bash }
    text: That is done.
  - when: { user: '/tell (\\w+)/' }
    text: "${Array.from({ length: 60 }, (_, at) => `Line ${at} of the tale.`).join(" ")} End of $1."
    delta_delay_ms: 15
default: { text: Very well. }
`;
