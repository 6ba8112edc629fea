/** Every act that needs two people, by its name, and the open requests for them. */

import * as z from "zod";
import { type Clp, clp } from "../../contract/vocabulary/clp.ts";
import { DAY_MS } from "../../contract/vocabulary/durations.ts";
import { providerNames } from "../../tenants/providers.ts";
import { type ApprovedAct, REQUEST_OPEN_DAYS } from "../approvals/approval.ts";
import { type OpenRequest, readOpenRequests } from "../approvals/approval-store.ts";
import { ApprovalRefused } from "../approvals/approvals.ts";
import {
  approveById,
  type CarriedOut,
  refuseRequest,
  requireOpen,
  type TwoPeopleDependencies,
} from "../approvals/two-people.ts";
import { RESOLUTIONS, type Resolution } from "../exceptions/exception-kinds.ts";
import { type ResolutionDependencies, resolveException } from "../exceptions/resolve-exception.ts";
import { addOperatorAct } from "../operators/add-operator.ts";
import { changeRoleAct } from "../operators/change-role.ts";
import { renewTokenAct } from "../operators/renew-token.ts";
import { mayResolve, type Role } from "../operators/role.ts";
import { type ProviderActDependencies, rotateAct, supportEmailAct } from "./provider-acts.ts";

export type ApproveDependencies = ProviderActDependencies & ResolutionDependencies;

/** An open request as operators see it. */
export interface ShownRequest {
  readonly id: string;
  readonly act: ApprovedAct;
  /** The exception, the operator's name or the provider's id. */
  readonly subject: string;
  /** The provider's name, for a request about a provider. */
  readonly provider: string | null;
  /** The values that the second person approves. */
  readonly request: Readonly<Record<string, string | number | null>>;
  readonly askedBy: string;
  readonly askedAt: Date;
  readonly lapsesAt: Date;
  /** Whether the operator's role may approve it and another operator requested it. */
  readonly mayApprove: boolean;
}

/** The open requests, oldest first, as an operator sees them. */
export async function listRequests(
  { db, clock }: Pick<ApproveDependencies, "db" | "clock">,
  { actor, role }: Pick<ApprovalGiven, "actor" | "role">,
): Promise<ShownRequest[]> {
  const open = await readOpenRequests(db, clock.now());
  const ofProviders = open.filter(({ act }) => PROVIDER_ACTS.includes(act)).map(({ subject }) => subject);
  const names = await providerNames(db, ofProviders);
  return open.map((one) => {
    const { id, act, subject, request, askedBy, askedAt } = one;
    return {
      id,
      act,
      subject,
      provider: names.get(subject) ?? null,
      request: shownValues(request),
      askedBy,
      askedAt,
      lapsesAt: new Date(askedAt.getTime() + REQUEST_OPEN_DAYS * DAY_MS),
      mayApprove: askedBy !== actor && mayApprove(role, one),
    };
  });
}

function shownValues(request: string): ShownRequest["request"] {
  const { token_hash: _never, ...values } = valuesSchema.parse(JSON.parse(request));
  return values;
}

const PROVIDER_ACTS: readonly ApprovedAct[] = ["credential.rotate", "provider.set_support_email"];
const valuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const resolutionSchema = z.object({
  resolution: z.enum(Object.keys(RESOLUTIONS) as [Resolution, ...Resolution[]]),
  amount: z
    .number()
    .transform((amount): Clp => clp(amount))
    .nullable(),
});

export interface ApprovalGiven {
  readonly id: string;
  /** `operator:<name>` */
  readonly actor: string;
  readonly role: Role;
  /** Only for a resolution. */
  readonly note: string | null;
}

/**
 * Approves another operator's request by its id and carries it out. Throws `ApprovalRefused`, and the act's own errors
 * if it is impossible now.
 */
export async function approveRequest(
  dependencies: ApproveDependencies,
  { id, actor, role, note }: ApprovalGiven,
): Promise<CarriedOut> {
  const open = await requireOpen(dependencies.db, id, dependencies.clock.now());
  if (!mayApprove(role, open)) throw new ApprovalRefused("Your role does not allow this.");
  if (open.act === "exception.resolve") return approveResolution(dependencies, open, { actor, note });
  const given = { id, actor };
  switch (open.act) {
    case "operator.add":
      return approveById(dependencies, addOperatorAct(dependencies), given);
    case "operator.change_role":
      return approveById(dependencies, changeRoleAct(dependencies), given);
    case "provider.set_support_email":
      return approveById(dependencies, supportEmailAct(dependencies), given);
    case "credential.rotate":
      return approveById(dependencies, rotateAct(dependencies), given);
    case "operator.reissue_token":
      return approveById(dependencies, renewTokenAct(dependencies), given);
  }
}

/** Refuses another operator's request, or withdraws the operator's own. Throws `ApprovalRefused`. */
export async function refuseById(
  dependencies: TwoPeopleDependencies,
  { id, actor, role }: Omit<ApprovalGiven, "note">,
): Promise<void> {
  const open = await requireOpen(dependencies.db, id, dependencies.clock.now());
  if (open.askedBy !== actor && !mayApprove(role, open)) throw new ApprovalRefused("Your role does not allow this.");
  await refuseRequest(dependencies, { id, actor });
}

/** A role may approve the requests that it may make. */
function mayApprove(role: Role, { act, request }: Pick<OpenRequest, "act" | "request">): boolean {
  if (act !== "exception.resolve") return role === "operator";
  return mayResolve(role, resolutionSchema.parse(JSON.parse(request)).resolution);
}

async function approveResolution(
  dependencies: ApproveDependencies,
  { subject, request, askedBy }: OpenRequest,
  { actor, note }: Pick<ApprovalGiven, "actor" | "note">,
): Promise<CarriedOut> {
  if (askedBy === actor)
    throw new ApprovalRefused("You made this request yourself. Another operator has to approve it.");
  const { resolution, amount } = resolutionSchema.parse(JSON.parse(request));
  const requested = { resolution, actor, note, ...(amount === null ? {} : { amount }) };
  const { outcome } = await resolveException(dependencies, subject, requested);
  return { outcome, secret: null };
}
