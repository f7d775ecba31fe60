import { surveyClaims } from "./bus/claims.ts";
import { surveyRates } from "./bus/rates.ts";
import type { Suite } from "./harness.ts";

export default function busSuite(): Suite {
  return { comparisons: [], surveys: [surveyRates(), surveyClaims()] };
}
