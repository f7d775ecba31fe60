import type { StreamToolHost } from "../bridge/index.ts";
import { createStreamToolHost } from "../bridge/index.ts";
import type { Bus } from "../bus/bus.ts";
import type { SessionClient } from "../client/index.ts";
import { SessionView } from "../client/index.ts";
import { createLogger } from "../log/logger.ts";
import type { AgentState } from "../wire/team/events.ts";
import type { AgentId } from "../wire/team/messages.ts";
import type { ReadFrom } from "./agents/agent-runner.ts";
import { AgentRunner } from "./agents/agent-runner.ts";
import { AgentRecipient } from "./agents/agent-recipient.ts";
import { AgentRecord } from "./agents/stored-agent-record.ts";
import { Agent } from "./agents/agent.ts";
import { Approver } from "./agents/decide-approvals.ts";
import { refuseQuarantined } from "./agents/refuse-quarantined.ts";
import { SenderOfCall } from "./agents/sender-of-call.ts";
import { TaskCanceller } from "./agents/cancel-task.ts";
import { ActionRunner } from "./agents/action-runner.ts";
import { TextDeltas } from "./agents/send-text-deltas.ts";
import { caughtUpSessionOf, openSessionOf } from "./agents/agent-states.ts";
import { QuarantineReporter } from "./agents/report-quarantine.ts";
import {
  endTasksOfAbsent,
  retireAbsentAgents,
  welcomeBack,
} from "./agents/retire-absent-agents.ts";
import { SessionReader } from "./agents/session-reader.ts";
import { TurnSettler } from "./agents/settle-turn.ts";
import { ShownState } from "./agents/publish-agent-state.ts";
import { NewestTurnStarts } from "./agents/newest-turn-start.ts";
import { waitsForPerson } from "./agents/waits-for-person.ts";
import type { StartFacts } from "./announce-start.ts";
import { announceStart } from "./announce-start.ts";
import { nowMs, openTeamRecords } from "./team-records.ts";
import { Admission } from "./delivery/admission.ts";
import { DeadLetterWatch } from "./delivery/dead-letter-watch.ts";
import { AgentInbox } from "./delivery/inbox.ts";
import { Outbox } from "./delivery/outbox.ts";
import { AutomaticAnswers } from "./delivery/automatic-answers.ts";
import { tellOfLostConversation } from "./delivery/tell-of-lost-conversation.ts";
import { SendCounts } from "./delivery/send-counts.ts";
import { SilenceWatch } from "./delivery/silence-watch.ts";
import { DirectMessages } from "./delivery/record-direct-messages.ts";
import { Waits } from "./delivery/open-waits.ts";
import { TEAM_SERVER } from "./file/tool-server-checks.ts";
import type { AgentSpec, Team } from "./file/team.ts";
import type { AgentHost } from "./host/agent-host.ts";
import { recordLosses } from "./record/log-lost-agents.ts";
import { checkBudgets } from "./rules/check-payers.ts";
import { RateLimiter } from "./rules/rate-limiter.ts";
import type { Refusal } from "./rules/refusal.ts";
import { RunningTeam } from "./running-team.ts";
import { TeamLifecycle } from "./team-lifecycle.ts";
import { publishedSeqs } from "./timeline/published-seqs.ts";
import { failureReporter } from "./timeline/report-failure.ts";
import { teamTools } from "./tools/team-tools.ts";

/**
 * Makes the parts of a team, gives each what it uses, and starts them. The one place that knows all of them. Resolves
 * when the agents are on their way up.
 *
 * @param host is open.
 * @throws what keeps the team from starting; then nothing of it keeps the process alive.
 */
export async function composeTeam(
  team: Team,
  bus: Bus,
  host: AgentHost,
  facts: StartFacts,
): Promise<RunningTeam> {
  const log = createLogger({ name: "switchboard", fallback: "warn" });
  const teamRecords = await openTeamRecords(bus, (error) =>
    log.error({ err: error }, "A record was not written."),
  );
  const { timeline, tasks, communication, spending, contents } = teamRecords;
  const firstSeq = timeline.lastSeq;
  recordLosses(timeline, communication);
  const onTrouble = failureReporter(timeline, log);
  host.onNotice((notice) => timeline.append({ type: "notice", ...notice }));

  const agents = new Map<AgentId, Agent>();
  const isThere = (id: AgentId): boolean => team.agents.has(id);
  const stateOf = (id: AgentId): AgentState => agents.get(id)?.state ?? "stopped";
  const waits = new Waits();
  const waitsForReset = (id: AgentId): boolean =>
    agents.get(id)?.view.state.continuation !== undefined;
  const isPersonAwaited = (id: AgentId): boolean =>
    waitsForPerson(id, { stateOf, waitsForReset, waits, tasks });
  const deltas = new TextDeltas();

  const rate = new RateLimiter(team.limits, nowMs);
  await rate.load(bus);
  const counts = new SendCounts(rate, bus.records, tasks);
  const refusalFor = (id: AgentId): Refusal => refuseQuarantined(id, stateOf(id));
  const admission = new Admission({
    team,
    bus,
    tasks,
    timeline,
    communication,
    spending,
    waits,
    counts,
    log,
    refusalFor,
  });
  const { sendMs, taskMs } = team.timeouts;
  const outbox = new Outbox({ bus, tasks, timeline, communication, contents, counts, sendMs });
  const replies = new AutomaticAnswers({ bus, tasks, timeline, outbox });
  const spoken = new DirectMessages({ bus, tasks, outbox, replies });
  const quarantine = new QuarantineReporter({ team, tasks, timeline, replies, outbox, onTrouble });
  const canceller = new TaskCanceller({ tasks, replies, outbox, agentOf: (id) => agents.get(id) });

  const tools: StreamToolHost[] = [];
  const deadLetters = new DeadLetterWatch({
    bus,
    tasks,
    timeline,
    communication,
    outbox,
    replies,
    isAgent: isThere,
    log,
    onTrouble,
  });
  const silence = new SilenceWatch({
    taskMs,
    bus,
    tasks,
    communication,
    replies,
    waitsForPerson: isPersonAwaited,
    log,
    onTrouble,
  });
  const watches = [deadLetters, silence];
  const life = new TeamLifecycle({ agents, tools, watches, host, timeline, bus });

  async function addAgent(spec: AgentSpec, record: AgentRecord): Promise<void> {
    const { id } = spec;
    const view = new SessionView();
    const turns = new NewestTurnStarts(id);
    const hosted = host.agent(spec, record.mark);
    const shown = new ShownState(id, view, timeline, {
      restingSince: () => record.note.resting_since,
      host: () => hosted.facts.host,
    });
    const supervised = new AgentRunner({
      team,
      spec,
      hosted,
      record,
      timeline,
      view,
      isFree: () => view.isIdle && waits.of(id).length === 0,
      makeReader,
      onChange: (now) => {
        shown.show(now);
        inbox.poke();
      },
      onLost: () => inbox.sessionLost("The agent's process ended."),
      onQuarantine: (why) => quarantine.report(id, why, hosted.logHint),
      onForgot: async (session, why) => {
        const message = `${id} has begun a new conversation: ${why}.`;
        const hint = "It was told which tasks it had begun, and has their requests again.";
        timeline.append({ type: "notice", agent: id, level: "warn", message, hint });
        await tellOfLostConversation(session, { agent: id, team, bus, tasks });
      },
    });
    const recipient = new AgentRecipient({
      id,
      view,
      life: supervised,
      replies,
      turns,
      contents,
      refusalOf: (task) => checkBudgets({ team, spending, tasks }, { agents: [id], task }),
    });
    const inbox = new AgentInbox({ recipient, bus, tasks, waits, outbox, team, log, onTrouble });
    const approver = new Approver({
      agent: id,
      view,
      records: bus.records,
      tasks,
      timeline,
      communication,
      session: () => caughtUpSessionOf(supervised.now)?.client,
    });
    const calls = new SenderOfCall({
      spec,
      record,
      view,
      untilCaughtUp: (signal) => supervised.untilCaughtUp(signal),
      bus,
      tasks,
      hasGot: (message) => inbox.hasGot(message),
    });

    function makeReader(session: SessionClient, from: ReadFrom): SessionReader {
      const settler = new TurnSettler({
        agent: id,
        session,
        bus,
        tasks,
        timeline,
        spending,
        inbox,
        replies,
        record,
        turns,
        maxLost: team.limits.delivery_attempts,
        onTrouble,
      });
      const runner = new ActionRunner({
        agent: id,
        session,
        timeline,
        tasks,
        inbox,
        turns,
        spoken,
        approver,
        record,
        settler,
        onState: () => {
          if (openSessionOf(supervised.now) === undefined) return;
          shown.show(supervised.now);
          inbox.poke();
        },
        onDelta: (event) => deltas.tell(id, event),
      });
      const carryOut = runner.carryOut.bind(runner);
      return new SessionReader({ agent: id, session, view, carryOut, onTrouble, ...from });
    }

    const agent = new Agent({
      spec,
      record,
      hosted,
      view,
      life: supervised,
      shown,
      inbox,
      approver,
      calls,
    });
    const ownTools = teamTools({
      agent: id,
      sender: (call, signal) => calls.senderOf(call, signal),
      inbox,
      team,
      bus,
      tasks,
      waits,
      communication,
      admission,
      outbox,
      stateOf,
      waitsForPerson: isPersonAwaited,
    });
    const toolHost = createStreamToolHost(TEAM_SERVER, ownTools);
    tools.push(toolHost);
    await hosted.offerTools(toolHost);
    agents.set(id, agent);
  }

  try {
    announceStart(team, timeline, facts);
    await retireAbsentAgents(isThere, bus, timeline, host);
    for (const spec of team.agents.values()) {
      const record = new AgentRecord(bus.records, spec.id);
      await record.load();
      await addAgent(spec, record);
      await welcomeBack(record, timeline);
    }
    const published = await publishedSeqs(
      timeline,
      (id) => agents.get(id)?.record.note.met_at ?? 0,
    );
    // Before this process sends or settles anything itself, which would then be published twice.
    await outbox.publishRest();
    await endTasksOfAbsent(isThere, tasks, replies, onTrouble);
    life.begin(published);
  } catch (error) {
    await life.abandon();
    throw error;
  }
  const { rehearsalUrl } = facts;
  return new RunningTeam({
    team,
    teamRecords,
    agents,
    waits,
    deltas,
    admission,
    outbox,
    canceller,
    life,
    logs: host,
    firstSeq,
    rehearsalUrl,
  });
}
