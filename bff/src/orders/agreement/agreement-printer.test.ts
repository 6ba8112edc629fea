import { expect, it } from "vitest";
import type { AgreementFile } from "../../contract/agreement.ts";
import { type PrintedAgreement, printAgreement } from "./agreement-pdf.ts";
import { createAgreementPrinter } from "./agreement-printer.ts";

const agreement = (reference: string, printedAt = new Date(0)): PrintedAgreement => ({
  reference,
  printedAt,
  texts: [],
});
const fileOf = (reference: string): AgreementFile => ({ name: reference, type: "application/pdf", base64: "" });

/** A process whose prints end when they are told to. */
function heldProcess() {
  const ends: { reference: string; end: () => void; fail: () => void }[] = [];
  let started = 0;
  const start = () => {
    started += 1;
    return {
      print: ({ reference }: PrintedAgreement) =>
        new Promise<AgreementFile>((resolve, reject) => {
          const fail = () => reject(new Error("The process is gone."));
          ends.push({ reference, end: () => resolve(fileOf(reference)), fail });
        }),
    };
  };
  return { start, ends, started: () => started };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it("prints the same texts once, whenever and however often they are asked for", async () => {
  const { start, ends } = heldProcess();
  const printer = createAgreementPrinter({ start });
  const asked = [printer.print(agreement("a")), printer.print(agreement("a", new Date(1_000)))];
  await turn();
  ends[0]?.end();
  expect(await Promise.all(asked)).toEqual([fileOf("a"), fileOf("a")]);
  expect(await printer.print(agreement("a"))).toEqual(fileOf("a"));
  expect(ends).toHaveLength(1);
});

it("prints one after the other, and refuses what comes when too many wait", async () => {
  const { start, ends } = heldProcess();
  const printer = createAgreementPrinter({ start, waitingMax: 2 });
  const [first, second] = [printer.print(agreement("a")), printer.print(agreement("b"))];
  await turn();
  expect(ends.map(({ reference }) => reference)).toEqual(["a"]);
  await expect(printer.print(agreement("c"))).rejects.toMatchObject({ code: "service_unavailable" });
  ends[0]?.end();
  await first;
  await turn();
  ends[1]?.end();
  expect(await second).toEqual(fileOf("b"));
});

it("starts another process after a failure, keeps no failure, and prints what waited", async () => {
  const { start, ends, started } = heldProcess();
  const printer = createAgreementPrinter({ start });
  const [failing, waiting] = [printer.print(agreement("a")), printer.print(agreement("b"))];
  await turn();
  ends[0]?.fail();
  await expect(failing).rejects.toThrow("gone");
  await turn();
  ends[1]?.end();
  expect(await waiting).toEqual(fileOf("b"));
  expect(started()).toBe(2);
  void printer.print(agreement("a"));
  await turn();
  expect(ends).toHaveLength(3);
});

it("keeps so many files, and prints the oldest again", async () => {
  const { start, ends } = heldProcess();
  const printer = createAgreementPrinter({ start, keptMax: 1 });
  for (const [place, reference] of ["a", "b", "a"].entries()) {
    const printed = printer.print(agreement(reference));
    await turn();
    ends[place]?.end();
    await printed;
  }
  expect(ends).toHaveLength(3);
});

it("prints in its process what would be printed here", async () => {
  const text = { kind: "contract", version: "1", locale: "es-CL", title: "Contrato" } as const;
  const whole = {
    ...agreement("AGENDA-1"),
    texts: [{ ...text, blocks: [{ type: "paragraph" as const, text: "Ñandú" }] }],
  };
  expect(await createAgreementPrinter().print(whole)).toEqual(await printAgreement(whole));
});
