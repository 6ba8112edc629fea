import { expect, it } from "vitest";
import { clp } from "../../contract/vocabulary/clp.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import type { Rut } from "../../contract/vocabulary/rut.ts";
import { taxDocumentsProtocol } from "../../gateways/protocols/tax-documents.ts";
import { documentToIssue } from "./issue-documents.ts";
import type { DueDocument } from "./tax-document-store.ts";

const issuer = { name: "AAPD de Prueba SpA", rut: "76904444-2" as Rut };
const order = {
  orderId: "0198f0a1-7c0b-7d7e-9a45-3f1c2b4d5e6f" as OrderId,
  customer: {
    rut: "40100000-3" as Rut,
    firstName: "Camila",
    lastName: "Soto Ñancupil",
    email: "camila@example.com",
    phoneNumber: "+56912345678",
  },
};
const due: DueDocument = {
  number: 1,
  kind: "boleta",
  sourceId: "0198f0a1-7c0b-7d7e-9a45-3f1c2b4d5e70",
  net: clp(2_353),
  vat: clp(447),
  dueAt: new Date("2026-11-21T15:00:00Z"),
  refusals: 0,
  corrects: null,
  correctedNumber: null,
  rejectedNumber: null,
  mayHaveArrived: false,
  connector: null,
};
const { input } = taxDocumentsProtocol.issue;

it("a taxed commission has net price and VAT, and nothing exempt", () => {
  const document = documentToIssue(order, due, { issuer, isExempt: false });
  expect(document).toMatchObject({ net: 2_353, vat: 447, receiverName: "Camila Soto Ñancupil", day: "2026-11-21" });
  expect(document).not.toHaveProperty("exempt");
  expect(input.parse(document)).toEqual(document);
});

it("interest is fully exempt, without net price and VAT", () => {
  const interest = { ...due, net: clp(2_800), vat: clp(0) };
  const document = documentToIssue(order, interest, { issuer, isExempt: true });
  expect(document).toMatchObject({ net: 0, vat: 0, exempt: 2_800 });
  expect(input.parse(document)).toEqual(document);
});

it("a patient whose name was erased is not named", () => {
  const erased = { ...order, customer: { ...order.customer, firstName: "", lastName: "" } };
  expect(documentToIssue(erased, due, { issuer, isExempt: false })).not.toHaveProperty("receiverName");
});

it("a document without name and exempt amount, as in earlier versions of the protocol, is valid", () => {
  const { receiverName, ...old } = documentToIssue(order, due, { issuer, isExempt: false });
  expect(receiverName).toBeDefined();
  expect(input.parse(old)).toEqual(old);
});
