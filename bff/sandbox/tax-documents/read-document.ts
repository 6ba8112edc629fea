import { addClp, clp, formatClp } from "../../src/contract/vocabulary/clp.ts";
import type { Database } from "../../src/platform/database/transaction.ts";
import { findDocument } from "./tax-document-store.ts";

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** A document as its page shows it; null if there is none with this id. Only the issuer is named. */
export async function readDocument(db: Database, id: string): Promise<string | null> {
  const document = UUID.test(id) ? await findDocument(db, id) : undefined;
  if (document === undefined) return null;
  const { kind, number, corrects, net, vat, exempt, issuer_rut: issuer } = document;
  return [
    "MUESTRA SIN VALOR TRIBUTARIO",
    `${kind === "boleta" ? `Boleta ${exempt > 0 ? "exenta " : ""}electrónica` : "Nota de crédito electrónica"} N° ${number}`,
    `Emisor: ${issuer}`,
    ...(corrects === null ? [] : [`Corrige la boleta N° ${corrects}`]),
    ...(exempt > 0
      ? [`Exento: ${formatClp(clp(exempt))}`]
      : [`Neto: ${formatClp(clp(net))}`, `IVA: ${formatClp(clp(vat))}`]),
    `Total: ${formatClp(addClp(addClp(clp(net), clp(vat)), clp(exempt)))}`,
    "",
  ].join("\n");
}
