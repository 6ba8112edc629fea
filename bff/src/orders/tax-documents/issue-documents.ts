import { addClp, ZERO } from "../../contract/vocabulary/clp.ts";
import type { TaxIssuer } from "../../contract/vocabulary/commission-tax.ts";
import { HOUR_MS } from "../../contract/vocabulary/durations.ts";
import type { Answered } from "../../gateways/gateway-call.ts";
import { listedDocument } from "../../gateways/listed-calls.ts";
import { type AttemptCalls, runCall, timerOutcomeOf } from "../../gateways/run-call.ts";
import type { DocumentOutcome, DocumentToIssue } from "../../gateways/tax-documents.ts";
import { inTransaction } from "../../platform/database/transaction.ts";
import { type Provider, providerNow } from "../../platform/provider.ts";
import { santiagoDay } from "../../platform/santiago-time.ts";
import { readOrderId } from "../../platform/timers/order-payload.ts";
import type { ClaimedTimer } from "../../platform/timers/timer-store.ts";
import type { TimerOutcome } from "../../platform/timers/timer-worker.ts";
import type { OrdersDependencies } from "../dependencies.ts";
import { findOrder } from "../order-reads.ts";
import type { OrderRecord } from "../order-record.ts";
import { requireFound } from "../order-store.ts";
import { notifyDocument } from "./notify-document.ts";
import {
  countDocumentInquiry,
  type DueDocument,
  documentKey,
  takeUpDocuments,
  withDocumentConnector,
  writeIssued,
  writeRefused,
} from "./tax-document-store.ts";

export type IssueDocumentsDependencies = Pick<
  OrdersDependencies,
  | "db"
  | "clock"
  | "ids"
  | "keyring"
  | "paymentPage"
  | "consultationDay"
  | "taxDocuments"
  | "connectors"
  | "findProvider"
>;

/**
 * Issues the tax documents of an order one after another, because a nota de crédito names its boleta. A refused
 * document is requested again every hour, under another key.
 */
export async function issueDocuments(
  dependencies: IssueDocumentsDependencies,
  timer: ClaimedTimer,
): Promise<TimerOutcome> {
  const { db, clock, connectors, findProvider } = dependencies;
  const provider = await findProvider(timer.providerId);
  const order = requireFound(
    await findOrder(db, { providerId: timer.providerId, orderId: readOrderId(timer.payload) }),
  );
  const { regime, issuer } = order.commissionTax;
  if (issuer === undefined) return "done";
  const due = await inTransaction(db, async (tx) => {
    const taken = await takeUpDocuments(tx, order, providerNow(provider, clock.now()));
    return withDocumentConnector(tx, order, taken, connectors.taxDocuments);
  });
  const calls = callsOf(dependencies, { provider, order, issuer, isExempt: regime === "interest" });
  const attempt = { due, isRefused: false };
  const ran = await runCall(db, calls, { attempt, mayHaveArrived: due[0]?.mayHaveArrived === true });
  if (ran.attempt.isRefused) return { again: new Date(clock.now().getTime() + HOUR_MS) };
  return timerOutcomeOf(ran, clock.now());
}

/** The documents left to issue, oldest first, and whether the oldest was refused. */
interface Issuing {
  readonly due: readonly DueDocument[];
  readonly isRefused: boolean;
}

interface Issue {
  readonly provider: Provider;
  readonly order: OrderRecord;
  readonly issuer: TaxIssuer;
  /** Whether the commission is interest, which is exempt from VAT. */
  readonly isExempt: boolean;
}

function callsOf(
  dependencies: IssueDocumentsDependencies,
  { provider, order, issuer, isExempt }: Issue,
): AttemptCalls<Issuing, Answered<DocumentOutcome>> {
  const { db, clock, taxDocuments, connectors } = dependencies;
  const now = () => providerNow(provider, clock.now());
  return {
    nextCall: ({ due: [next], isRefused }) => {
      if (next === undefined || isRefused) return null;
      const { dueAt, connector } = next;
      const document = documentToIssue(order, next, { issuer, isExempt });
      const under = { providerId: order.providerId, idempotencyKey: documentKey(next), at: now(), connector };
      return {
        under,
        inquire: () => taxDocuments.inquireDocument(under),
        call: () => taxDocuments.issueDocument(under, document),
        listed: listedDocument(taxDocuments, under, dueAt),
      };
    },
    settle: async (tx, { due }, answer) => {
      const [next, ...rest] = due;
      if (next === undefined) return null;
      if (answer.outcome !== "issued") {
        const reason = answer.outcome === "refused" ? answer.reason : "rejected";
        return (await writeRefused(tx, order, next, reason)) ? { due, isRefused: true } : null;
      }
      const { number, url } = answer;
      if (!(await writeIssued(tx, order, next, { number, url, at: now() }))) return null;
      const amount = addClp(next.net, next.vat);
      await notifyDocument(dependencies, tx, {
        provider,
        order,
        issuer,
        isExempt,
        document: { ...next, amount, number, url },
      });
      const left = rest.map((one) => numbered(one, next, number));
      return { due: await withDocumentConnector(tx, order, left, connectors.taxDocuments), isRefused: false };
    },
    release: async ({ due: [waiting] }, { wasInquired }) =>
      waiting !== undefined && wasInquired ? countDocumentInquiry(db, order, waiting) : 0,
  };
}

/** A document as it is requested from its issuer. */
export function documentToIssue(
  { orderId, customer }: Pick<OrderRecord, "orderId" | "customer">,
  { kind, net, vat, dueAt, correctedNumber: corrects }: DueDocument,
  { issuer, isExempt }: Pick<Issue, "issuer" | "isExempt">,
): DocumentToIssue {
  const receiverName = `${customer.firstName} ${customer.lastName}`.trim();
  return {
    kind,
    issuer,
    receiverRut: customer.rut,
    ...(receiverName !== "" && { receiverName }),
    day: santiagoDay(dueAt),
    ...(isExempt ? { net: ZERO, vat: ZERO, exempt: addClp(net, vat) } : { net, vat }),
    corrects,
    orderHash: orderId,
  };
}

/** Gives a nota de crédito of the same run the number of the boleta that it corrects. */
function numbered(document: DueDocument, issued: DueDocument, number: string): DueDocument {
  return document.corrects === issued.sourceId ? { ...document, correctedNumber: number } : document;
}
