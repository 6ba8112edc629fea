import { createHash } from "node:crypto";
import { addClp, type Clp, ZERO } from "../../src/contract/vocabulary/clp.ts";
import type { Rut } from "../../src/contract/vocabulary/rut.ts";
import type { DocumentToIssue } from "../../src/gateways/tax-documents.ts";
import { base32 } from "../kit/base32.ts";

/** The SII's types. */
export type BoletaType = 39 | 41;
export const CREDIT_NOTE = 61;
export type DocumentType = BoletaType | typeof CREDIT_NOTE;

const NAME_CHARACTERS = 24;

/** Our name of a document at LibreDTE, derived from its call's key alone. */
export function documentNameOf(call: { readonly providerId: string; readonly idempotencyKey: string }): string {
  const text = JSON.stringify(["document", call.providerId, call.idempotencyKey]);
  return `D${base32(createHash("sha256").update(text).digest()).slice(0, NAME_CHARACTERS)}`;
}

/** What LibreDTE needs to issue a document. */
export interface Content {
  readonly receiverRut: Rut;
  readonly receiverName: string | null;
  /** The boleta that a nota de crédito corrects. */
  readonly corrects: { readonly dte: BoletaType; readonly folio: number } | null;
}

/** The type and the amount of a document, and its content. Null for a nota de crédito that corrects nothing. */
export function planOf({ kind, receiverRut, receiverName, net, vat, exempt, corrects }: DocumentToIssue): {
  readonly dte: DocumentType;
  readonly amount: Clp;
  readonly content: Content;
} | null {
  const boleta: BoletaType = exempt === undefined ? 39 : 41;
  const amount = addClp(addClp(net, vat), exempt ?? ZERO);
  const receiver = { receiverRut, receiverName: receiverName ?? null };
  if (kind === "boleta") return { dte: boleta, amount, content: { ...receiver, corrects: null } };
  if (corrects === null) return null;
  return { dte: CREDIT_NOTE, amount, content: { ...receiver, corrects: { dte: boleta, folio: Number(corrects) } } };
}

/** The boleta that a nota de crédito names. */
export interface Corrected {
  readonly day: string;
  readonly total: number;
}

/** The SII's format takes no longer name. */
const NAME_MAX = 100;
/** The SII's codes: the whole document is annulled, or its amounts are corrected. */
const ANNULS = 1;
const CORRECTS_AMOUNTS = 3;

/** The request for a draft. Amounts include VAT, which LibreDTE separates. */
export function draftOf(
  {
    id,
    dte,
    amount,
    day,
    content,
  }: {
    readonly id: string;
    readonly dte: DocumentType;
    readonly amount: Clp;
    readonly day: string;
    readonly content: Content;
  },
  {
    issuerRut,
    item,
    corrected,
  }: {
    readonly issuerRut: Rut;
    readonly item: string;
    readonly corrected: Corrected | null;
  },
): unknown {
  const { receiverRut, receiverName, corrects } = content;
  const isExempt = dte === 41 || corrects?.dte === 41;
  const name = receiverName?.slice(0, NAME_MAX) ?? "Persona natural";
  return {
    Encabezado: {
      IdDoc: { TipoDTE: dte, FchEmis: day, ...(dte === CREDIT_NOTE && !isExempt && { MntBruto: 1 }) },
      Emisor: { RUTEmisor: issuerRut },
      Receptor: {
        RUTRecep: receiverRut,
        RznSocRecep: name,
        ...(dte === CREDIT_NOTE && { GiroRecep: "Particular" }),
      },
    },
    Detalle: [{ ...(isExempt && { IndExe: 1 }), NmbItem: item, QtyItem: 1, PrcItem: amount }],
    ...(corrects !== null &&
      corrected !== null && {
        Referencia: [
          {
            TpoDocRef: corrects.dte,
            FolioRef: corrects.folio,
            FchRef: corrected.day,
            CodRef: corrected.total === amount ? ANNULS : CORRECTS_AMOUNTS,
            RazonRef: "Devolución",
          },
        ],
      }),
    LibreDTE: { extra: { aapd: id } },
  };
}

/** The SII's verdict, as LibreDTE stores it: a code, and sometimes words. */
export function verdictOf(state: string | null | undefined): "accepted" | "rejected" | null {
  const code = /^\S+/.exec(state ?? "")?.[0] ?? "";
  if (["EPR", "RLV", "RPR"].includes(code)) return "accepted";
  return ["RSC", "RCH", "RPT", "RFR", "VOF", "RCT"].includes(code) ? "rejected" : null;
}
