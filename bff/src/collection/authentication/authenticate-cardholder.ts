import { networkNameOf } from "../../contract/vocabulary/voucher.ts";
import { inquiryAt } from "../../gateways/gateway-call.ts";
import { type AttemptCalls, runCall } from "../../gateways/run-call.ts";
import {
  type AuthenticationAnswer,
  type AuthenticationState,
  authenticationCall,
  authenticationState,
} from "../../gateways/strong-authentication.ts";
import { lockOrder } from "../../orders/order-reads.ts";
import type { Transaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { cancelTimer, scheduleTimer } from "../../platform/timers/timer-store.ts";
import { AUTHENTICATE_TIMER } from "../collection-timers.ts";
import type { CollectionDependencies } from "../dependencies.ts";
import { removeUnneededCards } from "../remove-cards.ts";
import {
  type AuthenticationStep,
  countAuthenticationInquiry,
  insertAuthentication,
  type NewAuthentication,
  requireAuthentication,
  writeAuthentication,
} from "./authentication-store.ts";
import { type CardAuthentication, isOpen } from "./card-authentication.ts";

/** Stores that an issuer is about to be asked, with the timer that asks what became of it. */
export async function openAuthentication(
  tx: Transaction,
  { clock }: Pick<CollectionDependencies, "clock">,
  request: NewAuthentication,
): Promise<CardAuthentication> {
  const authentication = await insertAuthentication(tx, request);
  await scheduleTimer(tx, {
    kind: AUTHENTICATE_TIMER,
    key: authentication.id,
    providerId: authentication.providerId,
    dueAt: inquiryAt(clock.now()),
    payload: { order_id: authentication.orderId },
  });
  return authentication;
}

/** An authentication that the issuer has just confirmed, or has not asked for. */
export type Proof = Omit<CardAuthentication, "state">;

export interface Asking<Use> {
  readonly provider: Provider;
  readonly authentication: CardAuthentication;
  /** True if another worker may have asked already, so that an inquiry comes first. */
  readonly mayHaveArrived: boolean;
  /** True if this run is one of the inquiries with growing delays. */
  readonly isInquiry: boolean;
  /**
   * Uses the proof, with the order locked, in the transaction that stores it. Null if it is of no use
   * any more: then nothing has changed.
   */
  readonly use: (tx: Transaction, proof: Proof, at: Date) => Promise<Use | null>;
}

export interface Asked<Use> {
  readonly authentication: CardAuthentication;
  /** What `use` returned, if this run got the proof. */
  readonly used: Use | null;
}

interface Running<Use> extends Asked<Use> {
  /** False once the authentication has ended, or the patient is at the challenge. */
  readonly isCalling: boolean;
}

/**
 * Asks the issuer, or what became of asking it, until the authentication has ended or waits for the patient or an
 * answer.
 */
export async function authenticateCardholder<Use>(
  dependencies: CollectionDependencies,
  asking: Asking<Use>,
): Promise<Asked<Use>> {
  const { db } = dependencies;
  const { authentication: begun, mayHaveArrived, isInquiry } = asking;
  const attempt: Running<Use> = { authentication: begun, used: null, isCalling: isOpen(begun) };
  const ran = await runCall(db, callsOf(dependencies, asking), { attempt, mayHaveArrived });
  const { authentication, used } = ran.attempt;
  if (ran.outcome === "lost") return { authentication: await requireAuthentication(db, begun, begun.id), used: null };
  if (!isOpen(authentication) && !isInquiry) await cancelTimer(db, { kind: AUTHENTICATE_TIMER, key: begun.id });
  return { authentication, used };
}

function callsOf<Use>(
  { db, clock, cardProcessor, returnUrl }: CollectionDependencies,
  { provider, isInquiry, use }: Asking<Use>,
): AttemptCalls<Running<Use>, AuthenticationAnswer> {
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: ({ authentication: { providerId, orderId, id, purpose, cardId, amount }, isCalling }) =>
      isCalling
        ? authenticationCall(
            cardProcessor,
            { providerId, idempotencyKey: `${id}:authentication`, at: now() },
            {
              cardId,
              amount,
              orderHash: orderId,
              purpose: purpose === "card_change" ? "mandate" : "payment",
              returnUrl: returnUrl({ kind: purpose, providerId, orderId, attemptId: id }),
            },
          )
        : null,
    isNoProgress: ({ authentication }, answer) =>
      authentication.state === "challenged" && authenticationState(answer, now()).state === "challenged",
    settle: async (tx, { authentication }, answer) => {
      const at = now();
      await lockOrder(tx, authentication);
      const held = await requireAuthentication(tx, authentication, authentication.id);
      if (!isOpen(held)) return null;
      const proof = authenticationState(answer, at);
      const used =
        proof.state === "proven" ? await use(tx, { ...held, authenticationId: proof.authenticationId }, at) : null;
      const step = stepOf(proof, held, used !== null);
      const settled = await writeAuthentication(tx, held, held.id, step, at);
      // The card that was replaced, or the one that was given and is not used.
      if (settled.endedAt !== null && held.card !== null) await removeUnneededCards(tx, { clock }, held, at);
      return { authentication: settled, used, isCalling: false };
    },
    release: async ({ authentication }) => {
      if (isInquiry) await countAuthenticationInquiry(db, authentication, authentication.id);
      return authentication.inquiries;
    },
  };
}

/** A proof that is of no use any more is dropped; one that gave a mandate is kept with the network's name of it. */
function stepOf(
  proof: AuthenticationState,
  { card }: Pick<CardAuthentication, "card">,
  isUsed: boolean,
): AuthenticationStep {
  if (proof.state !== "proven") return proof;
  if (!isUsed) return { state: "dropped" };
  const { state, authenticationId } = proof;
  const networkTransactionId = card === null ? null : networkNameOf(proof.networkTransactionId, card);
  return { state, authenticationId, networkTransactionId };
}
