import { surveyClaims } from "./bus/claims.ts";
import { surveyNatsRates } from "./bus/nats-rates.ts";
import { surveyRates } from "./bus/rates.ts";
import type { Suite } from "./harness.ts";

export default async function busSuite(): Promise<Suite> {
  return { comparisons: [], surveys: [surveyRates(), await surveyNatsRates(), surveyClaims()] };
}
