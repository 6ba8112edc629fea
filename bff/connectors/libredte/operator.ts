import { documentNameOf } from "./document.ts";
import {
  changeDocument,
  type DocumentState,
  findDocument,
  listKnownFolios,
  type Settlement,
} from "./document-store.ts";
import { adopt } from "./issue-document.ts";
import type { Libredte } from "./libredte.ts";
import { nameOf } from "./libredte-api.ts";

export interface Settling extends Settlement {
  readonly providerId: string;
  readonly idempotencyKey: string;
  /** The number that LibreDTE's page shows; null: it has issued nothing. */
  readonly folio: number | null;
}

/** The result. `not_open`: there is no such document, or its outcome is known. */
export type Settled = "issued" | "again" | "not_open" | "not_found" | "differs";

const OPEN: readonly DocumentState[] = ["generating", "blocked"];

/** Records an operator's decision about a document whose outcome LibreDTE does not report. */
export async function settleDocument(libredte: Libredte, settling: Settling): Promise<Settled> {
  const { api, db } = libredte;
  const { folio, by, because } = settling;
  const document = await findDocument(db, documentNameOf(settling));
  if (document === undefined || !OPEN.includes(document.state)) return "not_open";
  if (folio === null) {
    const again = await changeDocument(db, document.id, document, { to: "planned" }, { by, because });
    return again === null ? "not_open" : "again";
  }
  const issued = await api.read(document.dte, folio);
  if (issued === null) return "not_found";
  const name = nameOf(issued) ?? document.id;
  const isSame = name === document.id && issued.total === document.amount && issued.fecha.startsWith(document.day);
  const isKnown = (await listKnownFolios(db, [{ dte: document.dte, folio }])).size > 0;
  if (!isSame || isKnown) return "differs";
  return (await adopt(libredte, document, issued, { by, because })) === null ? "not_open" : "issued";
}
