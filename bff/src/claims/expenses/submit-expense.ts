import { type ExpenseResponse, type MissingDocument, optionalExpenseFieldSchema } from "../../contract/expenses.ts";
import type { OrderStatus } from "../../contract/orders.ts";
import { publishedStatus } from "../../orders/order.ts";
import { findOrder } from "../../orders/order-reads.ts";
import type { OrderRecord } from "../../orders/order-record.ts";
import type { Beneficiary } from "../../patients/beneficiary.ts";
import { shareBeneficiaryById } from "../../patients/patients.ts";
import type { Clock } from "../../platform/clock.ts";
import { DatabaseUnavailable } from "../../platform/database/errors.ts";
import { type Database, inTransaction, type Transaction } from "../../platform/database/transaction.ts";
import { publishEvent } from "../../platform/event-store.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { Ids } from "../../platform/ids.ts";
import { claimOfOrder } from "../claim-reads.ts";
import { documentsMissingOf } from "../filing-facts.ts";
import { beginUpload, removeLater, type UploadDependencies } from "../upload.ts";
import { filesToAdd, receiptReprinted, statusAfterAdding, statusBeforeFiling, submissionStatus } from "./expense.ts";
import { type ExpenseFields, unreadAfter } from "./expense-fields.ts";
import { giveExpenseTo } from "./expense-progress.ts";
import {
  completeFields,
  type Expense,
  insertExpense,
  insertFiles,
  lockExpenseOfOrder,
  replaceReceipt,
  writeStatus,
  writeSubtypes,
} from "./expense-store.ts";
import { fieldRefusal } from "./read-form.ts";
import type { ReceivedFile } from "./receive-file.ts";

/** The provider that submits, the patient, and the provider's time. */
export interface Submitter {
  readonly providerId: string;
  readonly beneficiary: Beneficiary;
  readonly now: Date;
}

/** The content of a submission: its fields, and its files in sequence, already stored. */
export interface Submission {
  readonly fields: ExpenseFields;
  readonly files: readonly ReceivedFile[];
}

/**
 * Records the expense that `receive` returns; `receive` stores each file under a name from `nextName`. Repeated
 * submissions for one order give the same expense, and add new files until its claim is filed. `keep` stores the answer
 * for repeats with the same key, in the same transaction.
 * Throws the errors of `receive`, `no_files`, `processing_error`, and `beneficiary_not_found` if the patient was erased
 * meanwhile; nothing of the submission is kept then. Throws `DatabaseUnavailable` if it is unknown whether the expense
 * was recorded; its files are kept until that is known.
 */
export async function submitExpense(
  dependencies: UploadDependencies,
  submitter: Submitter,
  receive: (nextName: () => string) => Promise<Submission>,
  keep: (tx: Transaction, answer: ExpenseResponse) => Promise<void>,
): Promise<ExpenseResponse> {
  const upload = await beginUpload(dependencies, submitter.providerId);
  let kept: ReadonlySet<string> | "unknown" = new Set<string>();
  try {
    const submission = await receive(upload.nextName);
    if (submission.files.length === 0) throw new ApiError("no_files");
    const recorded = await inTransaction(dependencies.db, async (tx) => {
      // Receiving a form can take minutes. Files of a patient erased meanwhile must not be stored, because nothing
      // would erase them again. The row of an erased patient stays, with a pseudonym instead of the RUT.
      const { id, rut } = submitter.beneficiary;
      if ((await shareBeneficiaryById(tx, id))?.rut !== rut) throw new ApiError("beneficiary_not_found");
      const order = await orderOfSubmission(tx, submitter, submission.fields.orderId);
      const made = await record(dependencies, tx, submitter, submission, order);
      const answer = describe(made);
      await keep(tx, answer);
      return { answer, files: made.expense.files };
    });
    kept = new Set(recorded.files.map(({ storageName }) => storageName));
    return recorded.answer;
  } catch (error) {
    if (error instanceof DatabaseUnavailable) kept = "unknown";
    throw error;
  } finally {
    // If it is unknown whether the expense was recorded, the upload's timer finds out and removes unneeded files.
    if (kept !== "unknown") await upload.settle(kept);
  }
}

/** The order that a submission names, which must belong to the provider and the patient; null if it names none. */
export async function orderOfSubmission(
  db: Database,
  { providerId, beneficiary }: Submitter,
  hash: ExpenseFields["orderId"],
): Promise<OrderRecord | null> {
  if (hash === null) return null;
  const order = hash === "unreadable" ? null : await findOrder(db, { providerId, orderId: hash });
  if (order === null || order.customer.rut !== beneficiary.rut) throw notTheirOrder();
  return order;
}

function notTheirOrder(): ApiError {
  return fieldRefusal("skip_pay_order_id", "names no order of this provider and patient");
}

interface Recorded {
  readonly expense: Expense;
  readonly created: boolean;
  readonly order: OrderStatus | null;
  /** The documents that the clinic must still send. */
  readonly missing: readonly MissingDocument[];
}

async function record(
  { ids, clock }: Pick<UploadDependencies, "ids" | "clock">,
  tx: Transaction,
  submitter: Submitter,
  submission: Submission,
  order: OrderRecord | null,
): Promise<Recorded> {
  const status = order === null ? null : publishedStatus(order.state);
  const publishing = { ids, clock, at: submitter.now };
  const expense = newExpense(ids.uuid(), submitter, submission, order);
  if (await insertExpense(tx, expense, { fields: submission.fields, at: submitter.now })) {
    await insertFiles(tx, { ...expense, files: [] }, expense.files, submitter.now);
    await publish(tx, "expense.received", expense, publishing);
    return { expense, created: true, order: status, missing: documentsMissingOf(expense, null) };
  }
  const existing = await lockExpenseOfOrder(tx, expense);
  if (existing === null) throw new ExpenseVanished("an expense blocked an insert and is missing");
  const own = await asOwn(tx, existing, expense.beneficiaryId);
  return { ...(await addTo(tx, own, submission, status, publishing)), created: false, order: status };
}

/**
 * The expense of an order, as this patient's. An expense of an unproven registration moves to the patient. Throws if
 * the expense belongs to an erased patient: a later sign-up under the same RUT creates a new record, which does not own
 * the earlier orders.
 */
async function asOwn(tx: Transaction, existing: Expense, beneficiaryId: string): Promise<Expense> {
  if (existing.beneficiaryId === beneficiaryId) return existing;
  const submittedFor = await shareBeneficiaryById(tx, existing.beneficiaryId);
  if (submittedFor?.proofUntil === null) throw notTheirOrder();
  return giveExpenseTo(tx, existing, beneficiaryId);
}

function newExpense(
  id: string,
  submitter: Submitter,
  { fields, files }: Submission,
  order: OrderRecord | null,
): Expense {
  const own = filesToAdd([], files);
  const missing = documentsMissingOf({ subtypes: fields.subtypes, files: own }, null);
  return {
    providerId: submitter.providerId,
    id,
    beneficiaryId: submitter.beneficiary.id,
    orderId: order?.orderId ?? null,
    status: statusBeforeFiling(order === null ? null : publishedStatus(order.state), missing),
    receiptId: fields.receiptId,
    total: fields.total,
    unread: fields.unread,
    subtypes: fields.subtypes,
    createdAt: submitter.now,
    updatedAt: submitter.now,
    files: own,
  };
}

interface Publishing {
  readonly ids: Ids;
  /** Real time. */
  readonly clock: Clock;
  readonly at: Date;
}

/**
 * Adds the new parts of a repeated submission: documents, kinds of service, and values of unread fields. A reprinted
 * receipt replaces the previous one. Does nothing once the claim was filed, which it checks on the claim itself,
 * because the status `access_blocked` occurs before and after the filing.
 */
async function addTo(
  tx: Transaction,
  expense: Expense,
  submission: Submission,
  order: OrderStatus | null,
  publishing: Publishing,
): Promise<Pick<Recorded, "expense" | "missing">> {
  const { providerId, orderId } = expense;
  const claim = orderId === null ? null : await claimOfOrder(tx, { providerId, orderId });
  if (orderId === null || claim?.filedAt != null) return { expense, missing: documentsMissingOf(expense, null) };
  const { fields } = submission;
  const lacking = documentsMissingOf(expense, claim);
  const printed = receiptReprinted(expense, { ...fields, files: submission.files }, lacking);
  const kept = printed === null ? expense.files : [printed, ...expense.files.slice(1)];
  const added = filesToAdd(kept, submission.files);
  const subtypes = [...new Set([...expense.subtypes, ...fields.subtypes])];
  const unread = unreadAfter(expense.unread, fields);
  const isMore = printed !== null || added.length > 0 || subtypes.length > expense.subtypes.length;
  if (!isMore && Object.keys(unread).length === Object.keys(expense.unread).length)
    return { expense, missing: lacking };
  const files = [...kept, ...added];
  // The added files may include what the insurer found missing, so the claim is filed again with them.
  const isAnswered = printed !== null || added.length > 0;
  const missing = documentsMissingOf({ subtypes, files }, isAnswered ? null : claim);
  const status = statusAfterAdding(expense.status, order, missing);
  if (printed !== null) await replace(tx, expense, printed, publishing);
  await insertFiles(tx, expense, added, publishing.at);
  await completeFields(tx, expense, { fields, unread, at: publishing.at });
  await writeSubtypes(tx, expense, { subtypes, at: publishing.at });
  await writeStatus(tx, expense, { to: status, at: publishing.at });
  await publish(tx, "expense.completed", expense, publishing);
  const completed = { ...expense, files, subtypes, unread, status, total: expense.total ?? fields.total };
  return { expense: completed, missing };
}

/** A timer removes the previous receipt, so that it is also removed if this process dies after the transaction. */
async function replace(
  tx: Transaction,
  expense: Expense,
  printed: ReceivedFile,
  publishing: Publishing,
): Promise<void> {
  const storageName = await replaceReceipt(tx, expense, printed, publishing.at);
  if (storageName !== null) await removeLater(tx, publishing, { providerId: expense.providerId, names: [storageName] });
}

/** Publishes an event of an expense. Subscribers read all other data from the expense. */
async function publish(
  tx: Transaction,
  kind: "expense.received" | "expense.completed",
  expense: Expense,
  { ids, at }: Publishing,
): Promise<void> {
  await publishEvent(tx, {
    id: ids.uuid(),
    providerId: expense.providerId,
    orderId: expense.orderId,
    kind,
    sequence: null,
    payload: { expense_id: expense.id, order_hash: expense.orderId },
    createdAt: at,
  });
}

function describe({ expense, created, order, missing }: Recorded): ExpenseResponse {
  return {
    id: expense.id,
    status: expense.status,
    aapd: expense.orderId !== null,
    skip_pay_order_id: expense.orderId,
    created,
    processed_files: expense.files.map(({ name, bytes, type }) => ({ name, bytes, type })),
    submission_status: submissionStatus(expense.status, order),
    missing_document_types: [...missing],
    unread_fields: optionalExpenseFieldSchema.options.filter((name) => name in expense.unread),
  };
}

/** Thrown when a stored reference names an expense that does not exist: a defect. */
export class ExpenseVanished extends Error {
  override readonly name = "ExpenseVanished";
  readonly code = "expense_vanished";
}
