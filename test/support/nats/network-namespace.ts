import { execFileSync } from "node:child_process";
import type { TestContext } from "vitest";
import { onTestFinished } from "vitest";

/** A network of its own, with one cable to the network of this process. */
export interface NetworkNamespace {
  /** The command line that runs a program there. */
  readonly exec: readonly string[];
  /** By which programs there reach this process's network. */
  readonly gateway: string;
  /** From now on every packet between the two is lost, and nobody is told. */
  readonly cut: () => void;
  readonly heal: () => void;
}

const ip = (...args: string[]): void => void execFileSync("ip", args, { stdio: "pipe" });

/**
 * Makes a network namespace. Where this process may not, the test is skipped, and the end of the run says so; with
 * `$NETNS_REQUIRED`, which CI sets where it may, the test fails instead.
 */
export function makeNetworkNamespace({ skip }: Pick<TestContext, "skip">): NetworkNamespace {
  const name = `sb${process.pid}-${Math.floor(Math.random() * 1e4)}`;
  const [here, there] = [`${name}a`, `${name}b`];
  const net = `10.${100 + Math.floor(Math.random() * 100)}.${Math.floor(Math.random() * 250)}`;
  const [gateway, address] = [`${net}.1`, `${net}.2`];
  try {
    ip("netns", "add", name);
  } catch (error) {
    if (process.env["NETNS_REQUIRED"]) throw error;
    return skip("no right to make a network namespace here");
  }
  let isCut = false;
  // The cable goes with it; a route of ours does not.
  onTestFinished(() => {
    if (isCut) ip("route", "delete", "blackhole", `${address}/32`);
    ip("netns", "delete", name);
  });
  ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name);
  ip("address", "add", `${gateway}/30`, "dev", here);
  ip("link", "set", here, "up");
  ip("-n", name, "address", "add", `${address}/30`, "dev", there);
  ip("-n", name, "link", "set", there, "up");
  ip("-n", name, "link", "set", "lo", "up");
  const routes = (change: "add" | "delete"): void => {
    isCut = change === "add";
    ip("route", change, "blackhole", `${address}/32`);
    ip("-n", name, "route", change, "blackhole", `${gateway}/32`);
  };
  return {
    exec: ["ip", "netns", "exec", name],
    gateway,
    cut: () => routes("add"),
    heal: () => routes("delete"),
  };
}
