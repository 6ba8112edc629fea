import type * as z from "zod/mini";
import { taxDocumentsProtocol as protocol } from "../../../src/gateways/protocols/tax-documents.ts";
import { santiagoDay } from "../../../src/platform/santiago-time.ts";
import { checkKeyedCall, type KeyedCall } from "./check-keyed-call.ts";
import { checkList } from "./check-list.ts";
import { checkOutcome } from "./check-outcome.ts";
import type { CheckRun } from "./check-run.ts";

type Issued = z.output<typeof protocol.issue.outcome>;

const VAT_PERCENT = 19;

export async function checkTaxDocuments(run: CheckRun): Promise<void> {
  const issuing = boletaOf(run);
  const done = await checkKeyedCall(run, issuing);
  run.later.push(() => checkList(run, protocol.documents));
  if (done?.outcome.outcome !== "issued") return;
  const { number } = done.outcome;
  const another = await checkOutcome(run, {
    operation: protocol.issue,
    check: "another-number",
    expected: "issued under another number: another key is another document",
    input: await issuing.newInput(),
    isExpected: (outcome) => outcome.outcome === "issued" && outcome.number !== number,
  });
  expectDocument(run, another.key, another.outcome);
  const named = await checkOutcome(run, {
    operation: protocol.issue,
    check: "receiver-name",
    expected: "issued: the receiver's name is printed, or ignored",
    input: { ...(await issuing.newInput()), receiverName: "Camila Soto" },
    isExpected: ({ outcome }) => outcome === "issued",
  });
  expectDocument(run, named.key, named.outcome);
  const credit = await checkOutcome(run, {
    operation: protocol.issue,
    check: "credit-note",
    expected: "issued: a nota de crédito that corrects the boleta",
    input: { ...(await issuing.newInput()), kind: "credit_note", corrects: number },
    isExpected: ({ outcome }) => outcome === "issued",
  });
  expectDocument(run, credit.key, credit.outcome, "credit_note");
}

function totalOf({ values }: CheckRun): { readonly net: number; readonly vat: number } {
  return { net: values.amount, vat: Math.round((values.amount * VAT_PERCENT) / 100) };
}

function expectDocument(run: CheckRun, key: string, outcome: Issued | null, kind = "boleta"): void {
  const { net, vat } = totalOf(run);
  if (outcome !== null) run.expectInList(protocol.documents.path, key, { amount: net + vat, kind });
}

function boletaOf(run: CheckRun): KeyedCall<Issued> {
  const { net, vat } = totalOf(run);
  const { tax_issuer: issuer, rut: receiverRut } = run.values;
  return {
    operation: protocol.issue,
    newInput: async () => ({
      kind: "boleta",
      issuer,
      receiverRut,
      day: santiagoDay(run.clock.now()),
      net,
      vat,
      corrects: null,
      orderHash: run.order(),
    }),
    changed: (input) => ({ ...input, net: net + 1 }),
    expected: "issued, with a number and the address of the document",
    isExpected: ({ outcome }) => outcome === "issued",
    hasInquiry: true,
    effect: {
      list: protocol.documents.path,
      of: (outcome) => (outcome.outcome === "issued" ? { amount: net + vat, kind: "boleta" } : null),
    },
  };
}
