import * as z from "zod/mini";
import { DAY_MS, HOUR_MS } from "../../src/contract/vocabulary/durations.ts";
import type { GatewayCall, NotFound } from "../../src/gateways/gateway-call.ts";
import type { DocumentOutcome, IssuedDocument, TaxDocuments } from "../../src/gateways/tax-documents.ts";
import { santiagoDay } from "../../src/platform/santiago-time.ts";
import { type Decision, type KeptOperation, localOperation, UNKNOWN } from "../kit/kept-calls.ts";
import { inProviderTime } from "../kit/provider-time.ts";
import { documentNameOf, planOf } from "./document.ts";
import {
  type Document,
  findDocument,
  insertDocument,
  latestBegunAt,
  listIssued,
  listKnownFolios,
} from "./document-store.ts";
import { continueDocument } from "./issue-document.ts";
import type { Libredte } from "./libredte.ts";
import { nameOf } from "./libredte-api.ts";
import { askForVerdict } from "./verdicts.ts";

/** The stored answer of a call. The document holds its outcome. */
const acceptedSchema = z.discriminatedUnion("outcome", [
  z.object({ outcome: z.literal("accepted"), documentId: z.string() }),
  z.object({ outcome: z.literal("refused"), reason: z.literal("issuer_not_authorised") }),
]);
type Accepted = z.output<typeof acceptedSchema>;

/** LibreDTE as the service's issuer of tax documents. */
export function createLibredteTaxDocuments(libredte: Libredte): TaxDocuments {
  const { calls, clock, db, logger } = libredte;
  const operation: KeptOperation<Accepted, undefined> = {
    ...localOperation("issue", acceptedSchema),
    async isNew(call) {
      const isKnown = await isAtLibredte(libredte, documentNameOf(call));
      // The database was restored. A repeat of the call finds the document by its name.
      if (isKnown) logger.error("libredte.document_not_recorded", { call: call.idempotencyKey });
      return !isKnown;
    },
  };
  return {
    async issueDocument(call, document) {
      const { providerId, idempotencyKey, at } = call;
      const accepted = await calls.perform(
        operation,
        call,
        document,
        async (tx): Promise<Decision<Accepted, undefined>> => {
          const plan = planOf(document);
          if (plan === null || document.issuer.rut !== libredte.issuerRut) {
            logger.error("libredte.another_issuer", { call: idempotencyKey });
            return { answer: { outcome: "refused", reason: "issuer_not_authorised" } };
          }
          const id = documentNameOf(call);
          const { kind, day } = document;
          await insertDocument(tx, { ...plan, id, providerId, idempotencyKey, kind, day, at, begunAt: clock.now() });
          return { answer: { outcome: "accepted", documentId: id } };
        },
      );
      return "documentId" in accepted ? outcomeNow(libredte, call, accepted.documentId) : accepted;
    },
    async inquireDocument(call): Promise<DocumentOutcome | NotFound> {
      const accepted = await calls.inquire(operation, call);
      return "documentId" in accepted ? outcomeNow(libredte, call, accepted.documentId) : accepted;
    },
    async listDocuments(providerId, from, to) {
      const since = new Date(from.getTime() - ISSUED_WITHIN_MS);
      const listed = await listIssued(db, { providerId, from: since, to });
      return listed
        .flatMap(lineOf)
        .filter(({ at }) => at >= from && at < to)
        .toSorted((one, other) => one.at.getTime() - other.at.getTime());
    },
  };
}

/** How long after its call a document may still be issued. */
const ISSUED_WITHIN_MS = 60 * DAY_MS;
/** A verdict that was asked for since then is recent. */
const VERDICT_KEPT_MS = HOUR_MS;

/** Continues the document. Without an answer of LibreDTE: unknown. */
async function outcomeNow(libredte: Libredte, call: GatewayCall, id: string): Promise<DocumentOutcome> {
  const { clock, db, logger } = libredte;
  const stored = await findDocument(db, id);
  if (stored === undefined) return UNKNOWN;
  try {
    const document = await continueDocument(libredte, stored);
    const { state, isFinal, askedAt } = document;
    const isOld = stored.state === "issued" && clock.now().getTime() - (askedAt?.getTime() ?? 0) >= VERDICT_KEPT_MS;
    if (state !== "issued" || isFinal || !isOld) return outcomeOf(document);
    return outcomeOf(await askForVerdict(libredte, document));
  } catch (error) {
    logger.warn("connector.party_unanswered", { operation: "issue", call: call.idempotencyKey, error });
    return outcomeOf((await findDocument(db, id)) ?? stored);
  }
}

function outcomeOf({ state, folio, url, reason }: Document): DocumentOutcome {
  if (state === "refused" && reason !== null) return { outcome: "refused", reason };
  if (folio === null || url === null) return UNKNOWN;
  const number = String(folio);
  return state === "rejected" ? { outcome: "rejected", number } : { outcome: "issued", number, url };
}

function lineOf(document: Document): IssuedDocument[] {
  const { id, idempotencyKey, kind, amount, folio, issuedAt, state } = document;
  if (folio === null || issuedAt === null) return [];
  const line = { id, idempotencyKey, kind, number: String(folio), amount, at: inProviderTime(document, issuedAt) };
  return [state === "rejected" ? { ...line, rejected: true } : line];
}

/** Without an earlier document the whole database may be new. */
const UNKNOWN_PAST_MS = 35 * DAY_MS;

/** Whether LibreDTE has a document that this database does not know: the database was restored. */
async function isAtLibredte({ api, clock, db }: Libredte, id: string): Promise<boolean> {
  const now = clock.now();
  const latest = (await latestBegunAt(db)) ?? new Date(now.getTime() - UNKNOWN_PAST_MS);
  const sinceDay = santiagoDay(new Date(Math.min(latest.getTime(), now.getTime()) - DAY_MS));
  const found = await api.find({ sinceDay });
  const known = await listKnownFolios(db, found);
  for (const { dte, folio } of found) {
    if (known.has(`${dte}-${folio}`)) continue;
    const document = await api.read(dte, folio);
    if (document !== null && nameOf(document) === id) return true;
  }
  return false;
}
