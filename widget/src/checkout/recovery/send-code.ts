import { valueOrThrow } from "../../api/problem.ts";
import type { SentCode } from "../checkout-state.ts";
import { credentialsOf } from "../server-state.ts";
import type { StepContext } from "../step-context.ts";

/** The patient's proof of identity, if the registered e-mail is no longer theirs. */
export interface Proof {
  readonly serial: string;
  readonly email: string;
}

/** Sends a code: to the registered e-mail, or with a proof of identity to a new one. */
export async function sendCode(
  { visit, api }: StepContext,
  { rut, proof }: { readonly rut: string; readonly proof: Proof | null },
): Promise<SentCode> {
  const way = proof === null ? ("email_code" as const) : ("identity" as const);
  const proven = proof === null ? {} : { document_serial: proof.serial, email: proof.email.trim() };
  const body = { widget_token: visit.token(), rut, way, ...proven };
  const answer = valueOrThrow(await api.startRecovery(credentialsOf(visit.session()), body));
  return { way, sentTo: answer.sent_to, resendAt: Date.parse(answer.resend_after) };
}
