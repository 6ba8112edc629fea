import { ZERO } from "../../src/contract/vocabulary/clp.ts";
import type { GatewayCall, Unknown } from "../../src/gateways/gateway-call.ts";
import { documentOutcomeSchema } from "../../src/gateways/protocols/tax-documents.ts";
import type { DocumentOutcome, DocumentToIssue, TaxDocuments } from "../../src/gateways/tax-documents.ts";
import type { Transaction } from "../../src/platform/database/transaction.ts";
import { calendarDaysBetween, santiagoDay } from "../../src/platform/santiago-time.ts";
import { readAllPages } from "../calls/read-all-pages.ts";
import { callOnce, type Effect, inquire, readListed, type SandboxDependencies } from "../calls/sandbox-call.ts";
import { insertDocument, pageDocuments, takeNumber } from "./tax-document-store.ts";

export interface SandboxTaxDocumentsDependencies extends SandboxDependencies {
  /** The days after its own date during which a document for this RUT is refused; 0 if it is issued at once. */
  readonly documentRefusedDays: (rut: string) => number;
  /** The address of `createPagesApp`, without a slash at the end. */
  readonly challengeOrigin: string;
}

const PARTY = "tax-documents";

/**
 * Issues every document that the catalogue does not refuse, numbered by issuer and kind without a gap. It remembers
 * every call by its idempotency key in separate tables and transactions.
 */
export function createSandboxTaxDocuments(dependencies: SandboxTaxDocumentsDependencies): TaxDocuments {
  const { db } = dependencies;
  const issuing = (call: GatewayCall) =>
    ({ party: PARTY, operation: "issueDocument", call, answer: documentOutcomeSchema }) as const;
  return {
    issueDocument: (call, document) =>
      callOnce(dependencies, { ...issuing(call), input: document }, (tx) => issue(dependencies, tx, call, document)),
    inquireDocument: (call) => inquire(dependencies, { ...issuing(call), method: "inquireDocument" }),
    listDocuments: (providerId, from, to) =>
      readListed(dependencies, { party: PARTY, method: "listDocuments", providerId }, () =>
        readAllPages((last) => pageDocuments(db, { providerId, from, to, after: last })),
      ),
  };
}

async function issue(
  { ids, challengeOrigin, documentRefusedDays }: SandboxTaxDocumentsDependencies,
  tx: Transaction,
  { providerId, idempotencyKey, at }: GatewayCall,
  { kind, issuer, receiverRut, day, net, vat, exempt = ZERO, corrects }: DocumentToIssue,
): Promise<Effect<Exclude<DocumentOutcome, Unknown>>> {
  if (calendarDaysBetween(day, santiagoDay(at)) < documentRefusedDays(receiverRut))
    return { answered: { outcome: "refused", reason: "no_numbers_left" } };
  const id = ids.uuid();
  const number = await takeNumber(tx, { providerId, issuerRut: issuer.rut, kind });
  await insertDocument(tx, {
    id,
    providerId,
    idempotencyKey,
    kind,
    issuerRut: issuer.rut,
    number,
    corrects,
    net,
    vat,
    exempt,
    at,
  });
  return { answered: { outcome: "issued", number: String(number), url: `${challengeOrigin}/tax-documents/${id}` } };
}
