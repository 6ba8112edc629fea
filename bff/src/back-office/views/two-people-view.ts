import type { TwoPeopleOutcome } from "../approvals/two-people.ts";

/** The outcome of an act that needs two operators. */
export function twoPeopleView(outcome: TwoPeopleOutcome) {
  return outcome.isDone
    ? { is_done: true as const, outcome: outcome.outcome, secret: outcome.secret }
    : { is_done: false as const, approval: outcome.requestId };
}
