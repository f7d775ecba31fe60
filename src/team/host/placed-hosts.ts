import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentSpec, Team } from "../file/team.ts";
import type { AgentHost, AgentLog, HostedAgent, HostNotice, RunMark } from "./agent-host.ts";

/** This machine for agents without a placement, machines that have joined for the others. */
export class PlacedHosts implements AgentHost {
  readonly #team: Team;
  readonly #local: AgentHost;
  readonly #remote: AgentHost;

  constructor(team: Team, local: AgentHost, remote: AgentHost) {
    this.#team = team;
    this.#local = local;
    this.#remote = remote;
  }

  async open(): Promise<void> {
    await this.#local.open();
    await this.#remote.open();
  }

  onNotice(listener: (notice: HostNotice) => void): void {
    for (const each of [this.#local, this.#remote]) each.onNotice(listener);
  }

  agent(spec: AgentSpec, mark: RunMark): HostedAgent {
    return this.#hostOf(spec).agent(spec, mark);
  }

  async openLog(id: AgentId): Promise<AgentLog | undefined> {
    return this.#hostOf(this.#team.agents.get(id)).openLog(id);
  }

  dismiss(id: AgentId, mark: RunMark): void {
    const host = mark["host"] === undefined ? this.#local : this.#remote;
    host.dismiss(id, mark);
  }

  async sweep(): Promise<void> {
    await Promise.all([this.#local.sweep(), this.#remote.sweep()]);
  }

  async close(options: { readonly clear: boolean }): Promise<void> {
    await Promise.all([this.#local.close(options), this.#remote.close(options)]);
  }

  async leave(): Promise<void> {
    await Promise.all([this.#local.leave(), this.#remote.leave()]);
  }

  #hostOf(spec: AgentSpec | undefined): AgentHost {
    return spec?.placement ? this.#remote : this.#local;
  }
}
