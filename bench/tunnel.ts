import { surveyTunnel } from "./tunnel/delays.ts";
import type { Suite } from "./harness.ts";

export default async function tunnelSuite(): Promise<Suite> {
  return { comparisons: [], surveys: [await surveyTunnel()] };
}
