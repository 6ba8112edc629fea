import { MINUTE_MS } from "../../src/contract/vocabulary/durations.ts";
import { isProtected } from "../kit/settings.ts";
import { type Corrected, CREDIT_NOTE, draftOf, verdictOf } from "./document.ts";
import { changeDocument, type Document, type DocumentChange, findDocument, type Settlement } from "./document-store.ts";
import type { Libredte } from "./libredte.ts";
import { type Issued, NO_NUMBERS, NO_SIGNATURE, nameOf } from "./libredte-api.ts";

/**
 * How long LibreDTE may work on a request whose answer was lost. Only then, if it has issued nothing, is the draft
 * generated again: two requests at once could issue it twice.
 */
const GENERATES_WITHIN_MS = 10 * MINUTE_MS;

/** From `generating` back to `planned`, and to the end. */
const STEPS_MAX = 5;

/** Continues a document as far as it goes now. Any process may continue it at any time, also two at once. */
export async function continueDocument(libredte: Libredte, document: Document): Promise<Document> {
  let current = document;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const next = await advance(libredte, current);
    if (next === null) return (await findDocument(libredte.db, current.id)) ?? current;
    current = next;
  }
  return current;
}

/** One step. Null: there is nothing to do now, or another process did it. */
async function advance(libredte: Libredte, document: Document): Promise<Document | null> {
  switch (document.state) {
    case "planned":
      return draft(libredte, document);
    case "drafted":
      return generate(libredte, document);
    case "generating":
      return recover(libredte, document);
    default:
      return null;
  }
}

/** Makes the draft, unless LibreDTE has issued the document already: the database was restored. */
async function draft(libredte: Libredte, document: Document): Promise<Document | null> {
  const { api, db, logger, issuerRut, item } = libredte;
  const { id, dte, amount, day, content, idempotencyKey: call } = document;
  if (content === null) return null;
  const known = await findIssued(libredte, document);
  if (known !== null) return adopt(libredte, document, known);
  const corrected = await findCorrected(libredte, document);
  if (dte === CREDIT_NOTE && corrected === null) return null;
  const reply = await api.draft(draftOf({ id, dte, amount, day, content }, { issuerRut, item, corrected }));
  if (reply.is === "answer") return changeDocument(db, id, document, { to: "drafted", code: reply.answer.codigo });
  const { status } = reply;
  logger.error("libredte.draft_refused", { call, status });
  // The issuer is unknown to LibreDTE, or may not issue this type. Other errors are about this moment or document.
  if (status !== 403 && status !== 404) return null;
  return changeDocument(db, id, document, { to: "refused", reason: "issuer_not_authorised" });
}

/** The boleta that a nota de crédito corrects. LibreDTE takes no other than one that the SII has accepted. */
async function findCorrected(
  { api, logger }: Libredte,
  { content, idempotencyKey: call }: Document,
): Promise<Corrected | null> {
  if (content === null || content.corrects === null) return null;
  const { dte, folio } = content.corrects;
  const boleta = await api.read(dte, folio);
  if (boleta === null) {
    logger.error("libredte.boleta_unknown", { call });
    return null;
  }
  const state = verdictOf(boleta.revision_estado) === null ? await api.updateState(dte, folio) : boleta.revision_estado;
  const verdict = verdictOf(state);
  if (verdict === "rejected") logger.error("libredte.boleta_rejected", { call });
  return verdict === "accepted" ? { day: boleta.fecha.slice(0, 10), total: boleta.total } : null;
}

/** Issues the draft. Only one process gets past the change to `generating`. */
async function generate(libredte: Libredte, document: Document): Promise<Document | null> {
  const { api, clock, db, logger } = libredte;
  const { id, dte, amount, code, content, idempotencyKey: call } = document;
  if (code === null || content === null) return null;
  const found = await api.findDraft(code);
  if (found === null) {
    // Deleted in LibreDTE. Nothing was issued yet.
    logger.warn("libredte.draft_missing", { call });
    return changeDocument(db, id, document, { to: "planned" });
  }
  if (found.total !== amount) {
    logger.error("libredte.total_differs", { call });
    return changeDocument(db, id, document, { to: "blocked" });
  }
  const generating = await changeDocument(db, id, document, { to: "generating", at: clock.now() });
  if (generating === null) return null;
  const reply = await api.generate({ dte, receiver: content.receiverRut, code });
  // An answer about another document says nothing: what became of this one is found out later.
  if (reply.is === "answer")
    return isAbout(generating, reply.answer) ? adopt(libredte, generating, reply.answer) : null;
  logger.error("libredte.document_refused", { call, status: reply.status });
  const issued = await findIssued(libredte, generating);
  if (issued !== null) return adopt(libredte, generating, issued);
  // The draft is gone: what became of it is found out later.
  return reply.status === 404 ? null : changeDocument(db, id, generating, refusalOf(reply.status));
}

/** The answer may lack the name. */
function isAbout({ id, dte }: Document, issued: Issued): boolean {
  return issued.dte === dte && (nameOf(issued) ?? id) === id;
}

/** Others, such as an invalid document (510), may have used up a number: an operator decides. */
function refusalOf(status: number): DocumentChange {
  switch (status) {
    case NO_NUMBERS:
      return { to: "refused", reason: "no_numbers_left" };
    case NO_SIGNATURE:
    case 403:
      return { to: "refused", reason: "issuer_not_authorised" };
    default:
      return { to: "blocked" };
  }
}

/** Finds out what became of a draft whose generation was requested. */
async function recover(libredte: Libredte, document: Document): Promise<Document | null> {
  const { api, clock, db, logger } = libredte;
  const { id, code, generatingAt, idempotencyKey: call } = document;
  if (code === null || generatingAt === null) return null;
  const issued = await findIssued(libredte, document);
  if (issued !== null) return adopt(libredte, document, issued);
  if (clock.now().getTime() - generatingAt.getTime() < GENERATES_WITHIN_MS) return null;
  if ((await api.findDraft(code)) !== null) return changeDocument(db, id, document, { to: "drafted", code });
  logger.error("libredte.document_lost", { call });
  return null;
}

/** The issued document with our name; null if there is none. */
async function findIssued({ api }: Libredte, { id, dte, amount, day, content }: Document): Promise<Issued | null> {
  if (content === null) return null;
  const same = await api.find({ dte, receiver: content.receiverRut, day, total: amount });
  for (const each of same) {
    const found = await api.read(each.dte, each.folio);
    if (found !== null && nameOf(found) === id) return found;
  }
  return null;
}

/** Stores a document that LibreDTE has issued. */
export async function adopt(
  libredte: Libredte,
  document: Document,
  issued: Issued,
  settlement?: Settlement,
): Promise<Document | null> {
  const { clock, db, logger } = libredte;
  const { id, amount, idempotencyKey: call } = document;
  if (issued.total !== amount) logger.error("libredte.total_differs", { call });
  const change = { to: "issued", folio: issued.folio, url: urlOf(libredte, issued), at: clock.now() } as const;
  return changeDocument(db, id, document, change, settlement);
}

const URL_MAX = 2_000;

/** The public page with the document's PDF. It names issuer, number, day and total. */
function urlOf({ baseUrl, issuerRut }: Libredte, { dte, folio, fecha, total, links }: Issued): string {
  const pdf = links?.pdf ?? "";
  if (pdf.length <= URL_MAX && URL.canParse(pdf) && isProtected(pdf)) return pdf;
  const [issuer] = issuerRut.split("-");
  return `${baseUrl.replace(/\/$/, "")}/dte/dte_emitidos/pdf/${dte}/${folio}/1/${issuer}/${fecha.slice(0, 10)}/${total}`;
}
