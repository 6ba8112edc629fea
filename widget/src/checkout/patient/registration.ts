import { isRefusedAs, type Problem } from "../../api/problem.ts";
import { type StepContext, showProblem } from "../step-context.ts";

/** Continues after a registration; a visit without an order ends with it. */
export function goOn({ visit, signUp }: StepContext): void {
  const linked = signUp.sealed_insurer_access !== undefined;
  const hasOrder = visit.session().order_token !== null;
  visit.send(hasOrder ? { type: "continued" } : { type: "finished", kind: "onboarding", linked });
}

/**
 * Shows why a registration failed, unless the refusal reveals that an earlier attempt, whose answer was lost,
 * succeeded.
 */
export async function takeRegistrationProblem(context: StepContext, rut: string, problem: Problem): Promise<void> {
  const { visit } = context;
  // Without an order, only a registration uses up the token, so it was the one whose answer was lost.
  const isOnlySignUp = visit.session().order_token === null;
  const isDone = isOnlySignUp && context.unansweredRut === rut && isRefusedAs(problem, "widget_token_used");
  if (problem.kind === "no_answer" || problem.status >= 500) context.unansweredRut = rut;
  // The patient reads the new texts and decides again.
  if (isRefusedAs(problem, "consents_missing")) await visit.refreshSession();
  if (isDone) goOn(context);
  else showProblem(context, problem);
}
