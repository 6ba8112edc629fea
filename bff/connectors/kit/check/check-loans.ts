import type * as z from "zod/mini";
import { financingProviderProtocol as protocol } from "../../../src/gateways/protocols/financing-provider.ts";
import { checkKeyedCall, type KeyedCall, makeCall } from "./check-keyed-call.ts";
import { checkList } from "./check-list.ts";
import { checkOutcome } from "./check-outcome.ts";
import { type CheckRun, faultOfAnswered, type Json } from "./check-run.ts";

type Decision = z.output<typeof protocol.authoriseLoan.outcome>;

const LOANS = protocol.loans.path;
const PARTS = 40;

interface OpenLoan {
  readonly loanId: string;
  readonly key: string;
}

export async function checkFinancingProvider(run: CheckRun): Promise<void> {
  const asking = loanOf(run);
  const done = await checkKeyedCall(run, asking);
  await checkRefused(run);
  if (done === null) return;
  run.later.push(() => checkList(run, protocol.loans));
  if (done.outcome.outcome !== "authorised") {
    const reason = "the loan is still under review; take a `rut` that is decided at once";
    for (const { path } of [protocol.confirmLoan, protocol.reduceLoan, protocol.reportLoan])
      run.noteNotChecked(path, "everything", "…", reason);
    return;
  }
  const newLoan = async (): Promise<OpenLoan> => {
    const made = await makeCall(run, asking);
    // A call for an unknown loan is refused, which is noted as its fault.
    const loanId = "fault" in made || !("loanId" in made.outcome) ? run.ids.uuid() : made.outcome.loanId;
    return { loanId, key: "fault" in made ? "" : made.key };
  };
  await checkConfirmation(run, newLoan);
  await checkReductions(run, await newLoan());
  await checkReports(run, { loanId: done.outcome.loanId, key: done.key });
}

function loanOf(run: CheckRun): KeyedCall<Decision> {
  const { rut, amount } = run.values;
  return {
    operation: protocol.authoriseLoan,
    newInput: async () => ({ rut, amount, orderHash: run.order() }),
    changed: (input) => ({ ...input, amount: amount + 1 }),
    expected: "authorised, or under_review",
    isExpected: ({ outcome }) => outcome !== "refused",
    isSame: (one, other) => "loanId" in one && "loanId" in other && one.loanId === other.loanId,
    hasInquiry: true,
    effect: { list: LOANS, of: (outcome) => (outcome.outcome === "refused" ? null : { amount }) },
  };
}

async function checkRefused(run: CheckRun): Promise<void> {
  const { refused_rut: rut, amount } = run.values;
  const [check, expected] = ["refused-patient", "refused, with reasons, as the law wants them"];
  if (rut === null) run.noteNotChecked(protocol.authoriseLoan.path, check, expected, "refused_rut is null");
  else {
    const { key } = await checkOutcome(run, {
      operation: protocol.authoriseLoan,
      check,
      expected,
      input: { rut, amount, orderHash: run.order() },
      isExpected: ({ outcome }) => outcome === "refused",
    });
    // A lender may list refused loans.
    run.allowInLists(key);
  }
}

async function checkConfirmation(run: CheckRun, newLoan: () => Promise<OpenLoan>): Promise<void> {
  await checkKeyedCall(run, {
    operation: protocol.confirmLoan,
    newInput: async () => ({ loanId: (await newLoan()).loanId }),
    changed: () => ({ loanId: run.ids.uuid() }),
    expected: "confirmed",
    isExpected: ({ outcome }) => outcome === "confirmed",
    hasInquiry: true,
  });
  const base = {
    operation: protocol.confirmLoan,
    expected: "refused",
    isExpected: ({ outcome }: { readonly outcome: string }) => outcome === "refused",
  };
  await checkOutcome(run, { ...base, check: "unknown-loan", input: { loanId: run.ids.uuid() } });
  const { loanId } = await newLoan();
  await checkOutcome(run, {
    ...base,
    check: "loan-of-another-provider",
    input: { loanId },
    providerId: run.otherProviderId,
  });
}

/** Partial reductions of one loan, whose remaining amount the list must show. */
async function checkReductions(run: CheckRun, { loanId, key }: OpenLoan): Promise<void> {
  const part = Math.floor(run.values.amount / PARTS);
  let reduced = 0;
  await checkKeyedCall(run, {
    operation: protocol.reduceLoan,
    newInput: async () => ({ loanId, amount: part }),
    changed: (input) => ({ ...input, amount: part + 1 }),
    expected: "reduced, with what remains of the loan",
    isExpected: ({ remaining }) => remaining < run.values.amount && remaining >= 0,
    // The remaining amount is the current one, which other reductions may have lowered.
    isSame: (one, other) => one.remaining >= other.remaining,
    hasInquiry: true,
    effect: {
      list: LOANS,
      of() {
        reduced += part;
        run.expectInList(LOANS, key, { amount: run.values.amount - reduced });
        return null;
      },
    },
  });
  await checkUnanswered(run, protocol.reduceLoan.path, { loanId: run.ids.uuid(), amount: part });
}

async function checkReports(run: CheckRun, { loanId }: OpenLoan): Promise<void> {
  const { amount } = run.values;
  await checkKeyedCall(run, {
    operation: protocol.reportLoan,
    newInput: async () => ({ loanId, end: "collected", amount }),
    changed: (input) => ({ ...input, end: "written_off" }),
    expected: "noted",
    isExpected: ({ outcome }) => outcome === "noted",
    hasInquiry: true,
  });
  await checkUnanswered(run, protocol.reportLoan.path, { loanId: run.ids.uuid(), end: "collected", amount });
}

/** There is no outcome for an unknown loan, so such a call is not answered. */
async function checkUnanswered(run: CheckRun, path: string, input: Json): Promise<void> {
  const reply = await run.ask({ path, key: run.key(), input });
  run.note(path, "unknown-loan", "no answer: there is nothing that could have been done", faultOfAnswered(run, reply));
}
