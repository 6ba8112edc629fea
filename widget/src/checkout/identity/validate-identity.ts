import { isDefinite, problemOf, valueOrThrow } from "../../api/problem.ts";
import type { IdentityDocument } from "../patient/patient-values.ts";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";

/**
 * Has the patient's identity document validated. Attempts are few: after a lost answer, the repeated request has the
 * first one's key and is the same attempt.
 */
export async function validateIdentity(context: StepContext, { serial, type }: IdentityDocument): Promise<void> {
  const { visit, api, identityKey } = context;
  const session = visit.session();
  const key = identityKey.of(`${type} ${serial}`);
  const body = { document_serial: serial, document_type: type };
  try {
    const order = valueOrThrow(
      await api.validateIdentity(credentialsOf(session), session.order_token ?? "", body, key),
    );
    identityKey.renew();
    visit.keepOrder(order);
  } catch (failure) {
    if (isDefinite(problemOf(failure))) identityKey.renew();
    throw failure;
  }
}
