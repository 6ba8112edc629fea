import { DAY_MS, HOUR_MS } from "../../src/contract/vocabulary/durations.ts";
import { verdictOf } from "./document.ts";
import { changeDocument, type Document, findDocument, listWithoutVerdict, recordAsked } from "./document-store.ts";
import type { Libredte } from "./libredte.ts";

/** Asks for the SII's verdict about an issued document. A rejection is final, and so is an acceptance. */
export async function askForVerdict(libredte: Libredte, document: Document): Promise<Document> {
  const { api, clock, db, logger } = libredte;
  const { id, dte, folio, idempotencyKey: call } = document;
  if (folio === null) return document;
  const verdict = verdictOf(await api.updateState(dte, folio));
  if (verdict === "rejected") {
    logger.warn("libredte.document_rejected", { call });
    return (await changeDocument(db, id, document, { to: "rejected", at: clock.now() })) ?? document;
  }
  await recordAsked(db, id, { at: clock.now(), isFinal: verdict === "accepted" });
  return (await findDocument(db, id)) ?? document;
}

const ASK_EVERY_MS = HOUR_MS;
/** The SII answers within hours. */
const ASK_FOR_MS = 30 * DAY_MS;

/**
 * Asks about all documents without a verdict, until LibreDTE fails. The service's list then shows those that were
 * rejected.
 */
export async function askForVerdicts(libredte: Libredte): Promise<void> {
  const { clock, db, logger } = libredte;
  const now = clock.now().getTime();
  try {
    const due = { askedBefore: new Date(now - ASK_EVERY_MS), issuedSince: new Date(now - ASK_FOR_MS) };
    for (const document of await listWithoutVerdict(db, due)) if (!(await askAbout(libredte, document))) return;
  } catch (error) {
    logger.warn("libredte.verdict_not_read", { error });
  }
}

/** False if LibreDTE failed. The document is then asked about after the others, which may succeed. */
async function askAbout(libredte: Libredte, document: Document): Promise<boolean> {
  const { clock, db, logger } = libredte;
  try {
    await askForVerdict(libredte, document);
    return true;
  } catch (error) {
    logger.warn("libredte.verdict_not_read", { call: document.idempotencyKey, error });
    await recordAsked(db, document.id, { at: clock.now(), isFinal: false });
    return false;
  }
}
