import { addClp, ZERO } from "../../contract/vocabulary/clp.ts";
import { type ExceptionPart, ResolutionRefused } from "../../platform/exceptions.ts";
import { mayGiveAlone } from "../approvals/solo-limit.ts";
import { EXCEPTIONS_LISTED_MAX, listExceptions } from "../list-exceptions.ts";
import { exceptionId } from "./exception.ts";
import { type ExceptionKind, RESOLUTIONS } from "./exception-kinds.ts";
import {
  assessResolution,
  type ResolutionDependencies,
  type ResolutionRequest,
  resolveException,
} from "./resolve-exception.ts";

/** The selected exceptions. */
export interface ResolvedTogether {
  readonly kind: ExceptionKind;
  /** Null for all providers. */
  readonly providerId: string | null;
  /** Only those with this fact; null for all. */
  readonly fact: { readonly name: string; readonly value: string } | null;
}

export interface ResolvedOne {
  /** The exception's name. */
  readonly exception: string;
  /** False if it was refused, or another operator has to request the same. */
  readonly isDone: boolean;
  readonly outcome: string;
}

/**
 * Resolves the selected exceptions separately, as `resolveException` does: a refusal does not stop the others. All are
 * assessed first: if together they exceed one person's limit, each needs two. Throws `ResolutionRefused` for a
 * resolution whose note is mailed to one patient.
 */
export async function resolveAll(
  dependencies: ResolutionDependencies,
  { kind, providerId, fact }: ResolvedTogether,
  request: ResolutionRequest,
): Promise<{ readonly resolved: readonly ResolvedOne[]; readonly mayBeMore: boolean }> {
  const resolution: ExceptionPart["resolutions"][string] = RESOLUTIONS[request.resolution];
  if (resolution.notTogether === true)
    throw new ResolutionRefused("Its note is mailed to one patient: resolve them one by one.");
  const listed = await listExceptions(dependencies, providerId);
  const meant = listed.filter(
    (one) => one.kind === kind && (fact === null || String(one.facts[fact.name] ?? "") === fact.value),
  );
  const names = meant.map(exceptionId);
  const needsTwo = await needTwoTogether(dependencies, names, request);
  const resolved: ResolvedOne[] = [];
  for (const exception of names) {
    try {
      resolved.push({ exception, ...(await resolveException(dependencies, exception, request, { needsTwo })) });
    } catch (error) {
      if (!(error instanceof ResolutionRefused)) throw error;
      resolved.push({ exception, isDone: false, outcome: error.message });
    }
  }
  return { resolved, mayBeMore: listed.length >= EXCEPTIONS_LISTED_MAX };
}

async function needTwoTogether(
  dependencies: ResolutionDependencies,
  names: readonly string[],
  request: ResolutionRequest,
): Promise<boolean> {
  let amount = ZERO;
  for (const name of names) amount = addClp(amount, await assessResolution(dependencies, name, request));
  const giving = { actor: request.actor, amount, at: dependencies.clock.now() };
  return amount > ZERO && !(await mayGiveAlone(dependencies.db, giving));
}
