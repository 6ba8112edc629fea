import type { MissingDocument } from "../contract/expenses.ts";
import type { Insurer } from "../contract/onboarding.ts";
import { type Clp, clp, formatClp } from "../contract/vocabulary/clp.ts";
import type { FileStorage } from "../gateways/file-storage.ts";
import { type GatewayCall, GatewayUnavailable } from "../gateways/gateway-call.ts";
import type { ClaimOutcome, FilingOutcome, InsurerConnector } from "../gateways/insurer.ts";
import { findOrder } from "../orders/order-reads.ts";
import { isBlocked } from "../patients/blocked.ts";
import { findBeneficiaryById } from "../patients/patients.ts";
import { recordAudit } from "../platform/audit-store.ts";
import { isUniqueViolation } from "../platform/database/errors.ts";
import { type Database, inTransaction, type Transaction } from "../platform/database/transaction.ts";
import { orderOf, ResolutionRefused, type Resolving } from "../platform/exceptions.ts";
import type { Ids } from "../platform/ids.ts";
import { santiagoDay, santiagoMoment } from "../platform/santiago-time.ts";
import { runTimersNow } from "../platform/timers/timer-store.ts";
import {
  findByKey,
  findByNumber,
  type HandWorkedClaim,
  insertFiled,
  type NumberAtInsurer,
  queueClaim,
  writeEntered,
} from "./by-hand/hand-claim-store.ts";
import { BY_HAND, filingKey } from "./claim.ts";
import { type ClaimRecord, readClaim, writeTakenByHand } from "./claim-store.ts";
import { FILE_CLAIM_TIMER } from "./consider-claim.ts";
import { findSubmittedExpense } from "./expenses/expense-progress.ts";
import type { ReceivedFile } from "./expenses/receive-file.ts";
import { isMandateWithdrawn, mayFollow } from "./mandate.ts";
import { pollSoon } from "./poll-claim.ts";

/*
 * What operators enter for the isapres without a connector: the number of a filed claim, and the isapre's answer. Each
 * is an answer of `createHandWorkedInsurer`, which the claim's own timer reads at once.
 */

const CLAIM_NUMBER = /^[\w./-]{1,64}$/;

/** The claim was filed on the portal, under the number in the note. */
export async function enterFiled(resolving: Resolving): Promise<string> {
  const { tx, exception, at, note } = resolving;
  const order = orderOf(exception);
  const number = note?.trim() ?? "";
  if (!CLAIM_NUMBER.test(number))
    throw new ResolutionRefused("The note must be the claim's number: letters, digits, dots, slashes and hyphens.");
  const patient = await findBeneficiaryById(tx, (await claimIn(tx, exception)).beneficiaryId);
  if (patient === null) throw notAsShown();
  const filed = { insurer: patient.insurer, insurer_claim_id: number, filed_at: at };
  if (!(await refusingOtherNumber(writeEntered(tx, order, "to_file", filed)))) throw notAsShown();
  await fileNow(resolving);
  return "Recorded as filed. The patient is notified.";
}

/** The documents that an isapre may ask for, and the clinic has to send. */
export const LACKING_DOCUMENTS = [
  "medical_order",
  "prescription",
  "readable_photo",
  "other_document",
] as const satisfies readonly MissingDocument[];

/** The isapre asks for the document in the note, which the clinic has to send. */
export async function enterLacking(resolving: Resolving): Promise<string> {
  const { tx, exception, note } = resolving;
  const lacking = LACKING_DOCUMENTS.find((document) => document === note?.trim());
  if (lacking === undefined)
    throw new ResolutionRefused(`The note must be the missing document: ${LACKING_DOCUMENTS.join(", ")}.`);
  if (!(await writeEntered(tx, orderOf(exception), "to_file", { lacking }))) throw notAsShown();
  await fileNow(resolving);
  return "The claim is held until the clinic sends the document.";
}

/** The isapre has approved the amount, on the day. */
export async function enterApproved(resolving: Resolving): Promise<string> {
  const { exception, at, amount, day } = resolving;
  if (amount === null || day === null)
    throw new ResolutionRefused("Enter the approved amount and the day of the approval.");
  if (day > santiagoDay(at)) throw new ResolutionRefused("The day of the approval is in the future.");
  if (day < santiagoDay(exception.since)) throw new ResolutionRefused("The approval is older than the filing.");
  const most = await totalOf(resolving);
  if (amount > most) throw new ResolutionRefused(`The amount is more than the claim's total, ${formatClp(most)}.`);
  await enterAnswer(resolving, { answer: "approved", reimbursed: amount, answered_at: santiagoMoment(day) });
  return `Recorded as approved for ${exception.facts.insurer_claim_id}. If the later charge was waiting, it is now due.`;
}

/** The isapre has rejected the claim. The note is its reason, which the patient reads. */
export async function enterRejected(resolving: Resolving): Promise<string> {
  const { at, note } = resolving;
  await enterAnswer(resolving, { answer: "rejected", reason: note, answered_at: at });
  return "Recorded as rejected. The patient is notified.";
}

/** The maximum amount that can have been claimed: the receipt's total, or the order's if that is higher. */
async function totalOf({ tx, exception }: Resolving): Promise<Clp> {
  const claim = await claimIn(tx, exception);
  const [order, expense] = await Promise.all([
    findOrder(tx, claim),
    findSubmittedExpense(tx, { providerId: claim.providerId, id: claim.expenseId }),
  ]);
  return clp(Math.max(order?.total ?? 0, expense?.total ?? 0));
}

async function claimIn(tx: Transaction, { providerId, subject: id }: Resolving["exception"]): Promise<ClaimRecord> {
  const claim = await readClaim(tx, { providerId, id });
  if (claim === null) throw notAsShown();
  return claim;
}

interface EnteredAnswer {
  readonly answer: "approved" | "rejected";
  readonly answered_at: Date;
  readonly reimbursed?: Clp;
  readonly reason?: string | null;
}

async function enterAnswer({ tx, clock, exception }: Resolving, entered: EnteredAnswer): Promise<void> {
  const claim = await claimIn(tx, exception);
  if (exception.facts.connector !== undefined) {
    const { state, insurerClaimId: number, filedAt } = claim;
    if (state !== "filed" || number === null || filedAt === null) throw notAsShown();
    await takeFromConnector(tx, claim, { number, filedAt });
  }
  if (!(await mayFollow(tx, claim, { takesInsurerAccess: false })))
    throw new ResolutionRefused("The patient's data is blocked, or they withdrew a consent: no answer is recorded.");
  if (!(await writeEntered(tx, orderOf(exception), "to_answer", entered))) throw notAsShown();
  await pollSoon(tx, { providerId: exception.providerId, id: exception.subject }, clock.now());
}

/**
 * Makes a claim one of the operators', because its connector will report no answer. It is not configured any more, or
 * does not know the claim under the number that its portal shows. Throws `ResolutionRefused` if another claim at the
 * isapre has this number.
 */
export async function takeFromConnector(
  tx: Transaction,
  claim: ClaimRecord,
  { number, filedAt }: { readonly number: string; readonly filedAt: Date },
): Promise<void> {
  const { providerId, orderId } = claim;
  const patient = await findBeneficiaryById(tx, claim.beneficiaryId);
  if (patient === null) throw notAsShown();
  const { insurer } = patient;
  await refusingOtherNumber(
    insertFiled(tx, { providerId, orderId, key: filingKey(claim), at: filedAt }, { insurer, number }),
  );
  await writeTakenByHand(tx, claim, { connector: BY_HAND, insurerClaimId: claimIdOf({ insurer, number }) });
}

async function refusingOtherNumber<Written>(writing: Promise<Written>): Promise<Written> {
  try {
    return await writing;
  } catch (error) {
    if (!isUniqueViolation(error, "hand_worked_claims_number_at_insurer")) throw error;
    throw new ResolutionRefused("Another claim at this isapre has this number.", { cause: error });
  }
}

async function fileNow({ tx, clock, exception: { providerId, subject: key } }: Resolving): Promise<void> {
  await runTimersNow(tx, { providerId, kind: FILE_CLAIM_TIMER, key }, clock.now());
}

function notAsShown(): ResolutionRefused {
  return new ResolutionRefused("The claim's current state does not allow this.");
}

/** A claim as an operator files it on the isapre's portal. */
export interface ClaimByHand {
  readonly insurer: Insurer;
  readonly rut: string;
  readonly patient: string;
  readonly total: Clp;
  readonly refunded: Clp;
  readonly files: readonly ReceivedFile[];
}

interface ClaimByHandDependencies {
  readonly db: Database;
  readonly ids: Ids;
}

/**
 * Reads a claim for the operator who files it; null if there is none, or if the patient's data is blocked or they have
 * withdrawn what it needs. It counts as a reading of the patient's data.
 */
export function readClaimByHand(
  { db, ids }: ClaimByHandDependencies,
  {
    providerId,
    id,
    actor,
    at,
  }: { readonly providerId: string; readonly id: string; readonly actor: string; readonly at: Date },
): Promise<ClaimByHand | null> {
  return inTransaction(db, async (tx) => {
    const claim = await readClaim(tx, { providerId, id });
    if (claim === null) return null;
    const [patient, order, expense] = await Promise.all([
      findBeneficiaryById(tx, claim.beneficiaryId),
      findOrder(tx, claim),
      findSubmittedExpense(tx, { providerId, id: claim.expenseId }),
    ]);
    if (patient === null || order === null || expense === null) return null;
    if ((await isBlocked(tx, patient)) || (await isMandateWithdrawn(tx, claim))) return null;
    await recordAudit(tx, {
      id: ids.uuid(),
      providerId,
      actor,
      credentialId: null,
      act: "patient_data.read",
      subject: { kind: "beneficiary", id: patient.id },
      details: { claim: id },
      at,
    });
    return {
      insurer: patient.insurer,
      rut: patient.rut,
      patient: `${patient.firstName} ${patient.lastName}`,
      total: expense.total ?? order.total,
      refunded: order.refunded,
      files: expense.files,
    };
  });
}

/** The bytes of a claim's document. */
export function readDocument(
  { storage }: { readonly storage: Pick<FileStorage, "get"> },
  { storageName }: ReceivedFile,
): Promise<Uint8Array> {
  return storage.get(storageName);
}

/**
 * The insurer of each call, and the name that new claims record. Once another one files the new claims, operators
 * finish those that they took. Once operators file them, the connector is asked only whether it has filed a claim:
 * patients can no longer give it an access, so operators enter the isapres' answers.
 */
export function insurerByCall(
  dependencies: { readonly db: Database },
  { connector, name }: { readonly connector: InsurerConnector; readonly name: string },
  isByHand: boolean,
): { readonly insurer: InsurerConnector; readonly name: string } {
  const byHand = createHandWorkedInsurer(dependencies);
  const present = isByHand ? byHand : connector;
  const insurerOf = ({ connector: taker = null }: GatewayCall) => {
    if (taker === null) return present;
    return taker === BY_HAND ? byHand : connector;
  };
  const insurer: InsurerConnector = {
    ...present,
    fileClaim: (call, input) => insurerOf(call).fileClaim(call, input),
    inquireFiling: (call) => insurerOf(call).inquireFiling(call),
    inquireClaim: (call, input) => (isByHand ? byHand : insurerOf(call)).inquireClaim(call, input),
  };
  return { insurer, name: isByHand ? BY_HAND : name };
}

/**
 * The isapres without a connector: an operator files each claim on the portal and enters the answers in the console.
 * It needs no patient's password.
 */
function createHandWorkedInsurer({ db }: { readonly db: Database }): InsurerConnector {
  return {
    takesAccess: false,
    sealingKey: () => Promise.reject(new GatewayUnavailable("Claims are filed by hand, without passwords.")),
    async fileClaim({ providerId, idempotencyKey: key, at }, { orderHash: orderId }) {
      if (orderId === null) return { outcome: "unknown" };
      return filingOf(await queueClaim(db, { providerId, orderId, key, at }));
    },
    async inquireFiling({ providerId, idempotencyKey }) {
      const queued = await findByKey(db, providerId, idempotencyKey);
      return queued === null ? { outcome: "not_found" } : filingOf(queued);
    },
    async inquireClaim({ providerId }, { claimId }): Promise<ClaimOutcome> {
      const worked = await findByNumber(db, providerId, readClaimId(claimId));
      switch (worked?.answer) {
        case "approved":
          return {
            outcome: "approved",
            reimbursed: clp(worked.reimbursed ?? 0),
            at: worked.answered_at ?? worked.queued_at,
          };
        case "rejected":
          return { outcome: "rejected", reason: worked.reason ?? "" };
        case "waiting":
          return { outcome: "waiting" };
        default:
          return { outcome: "unknown" };
      }
    },
  };
}

function claimIdOf({ insurer, number }: NumberAtInsurer): string {
  return insurer === null ? number : `${insurer}:${number}`;
}

/** No insurer's name has a colon. The ids that connectors give to claims may have one. */
function readClaimId(claimId: string): NumberAtInsurer {
  const colon = claimId.indexOf(":");
  return colon === -1
    ? { insurer: null, number: claimId }
    : { insurer: claimId.slice(0, colon), number: claimId.slice(colon + 1) };
}

/** When the claim was filed, for one that an operator files or has taken from its connector; otherwise null. */
export async function filedByHandAt(db: Database, claim: ClaimRecord): Promise<Date | null> {
  return (await findByKey(db, claim.providerId, filingKey(claim)))?.filed_at ?? null;
}

/** The filing as the gateway's answer. */
function filingOf({ insurer, insurer_claim_id: number, lacking }: HandWorkedClaim): FilingOutcome {
  if (number !== null) return { outcome: "filed", claimId: claimIdOf({ insurer, number }) };
  return lacking === null ? { outcome: "queued" } : { outcome: "held", missing: [lacking] };
}
