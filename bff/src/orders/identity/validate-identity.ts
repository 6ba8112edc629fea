/*
 * Identity validation: asks the national registry whether a document belongs to the patient, with a limit on attempts.
 */

import type { DocumentType } from "../../contract/orders.ts";
import { IDENTITY_REJECTIONS_PER_HOUR_MAX } from "../../contract/terms.ts";
import { type DocumentSerial, readDocumentSerial } from "../../contract/vocabulary/document-serial.ts";
import type { IdentityOutcome } from "../../gateways/identity-registry.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Provider } from "../../platform/provider.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { IDENTITY_ANSWER_WITHIN_MS, IDENTITY_WINDOW_MS, type IdentityTries, identityTries } from "../identity-tries.ts";
import { isPayable } from "../order.ts";
import { findOrder } from "../order-reads.ts";
import type { OrderRecord } from "../order-record.ts";
import { requireFound } from "../order-store.ts";
import { loseMatch } from "../recognise-identity.ts";
import { beginCheck, type CheckOutcome, type CountedTries, readCountedTries, writeOutcome } from "./identity-store.ts";

type ValidateDependencies = Pick<
  OrdersDependencies,
  "db" | "ids" | "keyring" | "identityRegistry" | "documentSerialPattern" | "within"
>;

export interface IdentityRequest {
  readonly provider: Provider;
  readonly order: OrderRecord;
  readonly documentSerial: string;
  readonly documentType: DocumentType;
  /** The provider's time. */
  readonly now: Date;
}

/**
 * Asks the national registry whether the serial belongs to the order's RUT, even after a recognition. Only the serial's
 * keyed hash and the outcome are stored; the serial is never stored or logged. After five rejections of a person within
 * an hour, across all the provider's orders and concurrent attempts, further attempts are refused until the oldest
 * leaves the window. An already validated order is returned unchanged.
 * Throws 422 `document_serial_malformed`, `identity_rejected`, `identity_document_not_valid`, `patient_under_age`,
 * `identity_attempts_exhausted`, 503 `identity_registry_unavailable`, 409 `order_not_payable`.
 */
export async function validateIdentity(
  dependencies: ValidateDependencies,
  request: IdentityRequest,
): Promise<OrderRecord> {
  const { db, ids, keyring, identityRegistry, documentSerialPattern } = dependencies;
  const { provider, order, documentType, now } = request;
  const serial = readDocumentSerial(request.documentSerial, documentSerialPattern);
  if (serial === null) throw new ApiError("document_serial_malformed", await triesLeft(dependencies, request));
  if (order.identityValidatedAt !== null && !order.identityRecognised) return order;
  if (!isPayable(order.state)) throw new ApiError("order_not_payable");
  const checkId = ids.uuid();
  const serialHash = keyring.hmac("identity.serial", `${order.customer.rut}:${serial}`);
  const rutHash = keyring.hmac("identity.rut", personOf(request));
  const check = { id: checkId, rutHash, serialHash, documentType, at: now };
  const counted = countedTries(dependencies, request);
  const limit = { counted, triesMax: IDENTITY_REJECTIONS_PER_HOUR_MAX };
  const tries = identityTries(await beginCheck(db, order, check, limit));
  if (tries.left === 0) throw exhausted(tries, now);
  const answer = await requestValidation(identityRegistry, { provider, order, serial, documentType });
  const isTooYoung = answer.isUnderAge === true && !provider.settings.takesMinors;
  const outcome: CheckOutcome = answer.outcome === "match" && isTooYoung ? "under_age" : answer.outcome;
  const written = { id: checkId, outcome, at: now };
  const validated = await settleCheck(dependencies, request, written);
  refuseUnlessMatch(outcome, tries.left - 1);
  return validated ?? (await asItBecame(db, order));
}

/**
 * Stores the registry's answer. A match validates the order and proves the patient's registered address in one
 * transaction.
 */
function settleCheck(
  { db, ids, within }: ValidateDependencies,
  { provider, order, now }: IdentityRequest,
  written: Parameters<typeof writeOutcome>[2],
): Promise<OrderRecord | null> {
  return inTransaction(db, async (tx) => {
    const validated = await writeOutcome(tx, order, written, {
      id: ids.uuid(),
      providerId: provider.id,
      actor: "patient",
      credentialId: null,
      act: "identity.checked",
      subject: { kind: "order", id: order.orderId },
      details: { outcome: written.outcome },
      at: now,
    });
    if (validated !== null) await within(tx, { kind: "identity_matched", provider, order: validated, at: now });
    if (written.outcome === "document_not_valid") await loseMatch(tx, { provider, rut: order.customer.rut });
    return validated;
  });
}

/**
 * Reads the order again after a match that did not update it: another attempt validated it first, or it is no longer
 * payable.
 */
async function asItBecame(db: OrdersDependencies["db"], key: OrderRecord): Promise<OrderRecord> {
  const order = requireFound(await findOrder(db, key));
  if (order.identityValidatedAt === null) throw new ApiError("order_not_payable");
  return order;
}

async function requestValidation(
  registry: OrdersDependencies["identityRegistry"],
  requested: { provider: Provider; order: OrderRecord; serial: DocumentSerial; documentType: DocumentType },
): Promise<IdentityOutcome> {
  const { provider, order, serial, documentType } = requested;
  return registry.check({ providerId: provider.id, rut: order.customer.rut, serial, documentType });
}

function refuseUnlessMatch(outcome: CheckOutcome, left: number): void {
  if (outcome === "match") return;
  if (outcome === "under_age") throw new ApiError("patient_under_age");
  if (outcome === "unavailable") throw new ApiError("identity_registry_unavailable");
  const code = outcome === "no_match" ? "identity_rejected" : "identity_document_not_valid";
  throw new ApiError(code, { attempts_left: left });
}

function exhausted({ nextAt }: IdentityTries, now: Date): ApiError {
  const waitMs = (nextAt ?? now).getTime() - now.getTime();
  return new ApiError("identity_attempts_exhausted", {
    attempts_left: 0,
    retry_after_seconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}

async function triesLeft(
  dependencies: ValidateDependencies,
  request: IdentityRequest,
): Promise<{ attempts_left: number }> {
  const counted = await readCountedTries(dependencies.db, countedTries(dependencies, request));
  return { attempts_left: identityTries(counted).left };
}

function countedTries({ keyring }: ValidateDependencies, request: IdentityRequest): CountedTries {
  const now = request.now.getTime();
  const person = personOf(request);
  return {
    person,
    rutHashes: keyring.hmacsOfAllKeys("identity.rut", person),
    since: new Date(now - IDENTITY_WINDOW_MS),
    askedSince: new Date(now - IDENTITY_ANSWER_WITHIN_MS),
  };
}

/**
 * Identifies the person whose attempts are counted: a RUT at one provider. Any clinic can create an order with any RUT,
 * and must not use up the attempts of a patient at another clinic.
 */
function personOf({ provider, order }: IdentityRequest): string {
  return `${provider.id}:${order.customer.rut}`;
}
