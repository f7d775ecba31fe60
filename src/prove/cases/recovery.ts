import type { ProofCase } from "../proof-case.ts";
import type { Scene } from "../scene.ts";
import { judgeTruth } from "../verdict.ts";
import { markedCall } from "./marked-call.ts";

interface Victim {
  readonly name: "host" | "cli";
  readonly words: string;
  readonly kill: (scene: Scene) => Promise<void>;
}

const victims: Victim[] = [
  { name: "host", words: "the host is killed", kill: (scene) => scene.killHost() },
  { name: "cli", words: "the CLI is killed", kill: (scene) => scene.killCli() },
];

/** Killed before the CLI can have written anything down, or right after. */
const whenAccepted = ({ name, words, kill }: Victim): ProofCase => ({
  name: `${name}-killed-on-acceptance`,
  title: `When ${words} right after a message was accepted, the message is answered once`,
  async play(scene) {
    await scene.ask("hello");
    const id = await scene.say("hello again");
    await kill(scene);
    await scene.endOf(id);
  },
});

const whileSpeaking = ({ name, words, kill }: Victim): ProofCase => ({
  name: `${name}-killed-while-speaking`,
  title: `When ${words} while the model speaks, the turn is taken up and ends`,
  // Also for a CLI that is asked to continue, in whatever words.
  rules: [{ text: "A long story.", delta_chars: 2, delta_delay_ms: 150 }],
  async play(scene) {
    const id = await scene.say("tell me");
    await scene.until("text_delta");
    const since = scene.events.length;
    await kill(scene);
    const done = await scene.endOf(id);
    scene.check(done.stop_reason === "completed", `The turn ended with ${done.stop_reason}.`);
    const text = scene.textOf(done.turn_id);
    scene.check(text === "A long story.", `The text that the session sent is "${text}".`);
    const { cause } = await scene.until("turn_started", { since });
    scene.check(cause === "resume", `The turn that took it up has the cause ${cause}.`);
  },
});

const inATool = ({ name, words, kill }: Victim): ProofCase => ({
  name: `${name}-killed-in-a-tool`,
  title: `When ${words} while an approved call runs, the model is told so and the call does not run again`,
  rules: [{ when: { user: "make the mark" }, tools: [markedCall("one", "sleep 60")], times: 1 }],
  async play(scene) {
    const id = await scene.say("make the mark");
    const { request_id } = await scene.until("approval_request");
    await scene.client.approve(request_id);
    await scene.untilSo("the call runs", () => scene.runs("one") === 1);
    await kill(scene);
    await scene.endOf(id);
    scene.checkTold("was started, its outcome is unknown");
    scene.checkRuns("one", 1);
  },
});

/** Every CLI is tried on both paths, whatever the table of versions says. */
const whileAsked =
  (path: "full" | "careful") =>
  ({ name, words, kill }: Victim): ProofCase => ({
    name: `${name}-killed-while-asked-${path}`,
    title: `When ${words} while a person is asked, they are asked again ${again[path]}, and the call runs once`,
    flags: ["--recovery", path],
    ...(path === "full" && {
      offUnlessProven: "After a crash an open request is asked again under another id.",
    }),
    rules: [
      { when: { tool_result: "Bash" }, text: "It is done." },
      // Also for a CLI that is asked to continue, in whatever words.
      { tools: [markedCall("one")] },
    ],
    async play(scene) {
      const id = await scene.say("make the mark");
      const first = await scene.until("approval_request");
      await scene.untilOnDisk(first.request_id);
      const since = scene.events.length;
      await kill(scene);
      const next = await scene.until("approval_request", { since });
      scene.checkRuns("one", 0);
      const known = path === "full" ? next.request_id : next.replaces;
      scene.check(known === first.request_id, `The request was not asked again ${again[path]}.`);
      await scene.client.approve(next.request_id);
      await scene.endOf(id);
      scene.checkRuns("one", 1);
      scene.checkAll(judgeTruth(scene.lastRequest));
    },
  });

const again = { full: "under its own id", careful: "in place of the first request" } as const;

export const recoveryCases: ProofCase[] = [
  whenAccepted,
  whileSpeaking,
  inATool,
  whileAsked("full"),
  whileAsked("careful"),
].flatMap((caseFor) => victims.map(caseFor));
