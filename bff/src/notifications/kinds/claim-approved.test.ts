import { expect, it } from "vitest";
import { clp } from "../../contract/vocabulary/clp.ts";
import { claimApproved } from "./claim-approved.ts";
import { claimRejected } from "./claim-rejected.ts";

const addressed = { firstName: "Camila", clinic: "Clínica Los Aromos", insurer: "Colmena" };

it.each([
  [30_800, 24_000, 12_000, "de tu bolsillo salen $6.800 más los $12.000 que ya pagaste."],
  [24_000, 24_000, 12_000, "de tu bolsillo salen los $12.000 que ya pagaste."],
  // The bank has taken the first payment back.
  [29_960, 24_000, 0, "de tu bolsillo salen $5.960."],
  [24_000, 24_000, 0, "cubre todo lo que pagas."],
  [24_000, 30_000, 12_000, "de los $12.000 que ya pagaste, salen de tu bolsillo $6.000."],
])("a charge of %d after a reimbursement of %d and payments of %d names the patient's own cost", (...given) => {
  const [amount, reimbursed, paidBefore, words] = given;
  const day = "2026-12-03" as const;
  const charged = { amount: clp(amount), commission: clp(0), cardEnding: "6623", day, isToday: true };
  const charge = { ...charged, paidBefore: clp(paidBefore) };
  const { paragraphs } = claimApproved.mail["es-CL"]({
    ...addressed,
    reimbursed: clp(reimbursed),
    charge,
    settled: null,
    undated: null,
  });
  expect(paragraphs.join(" ")).toContain(words);
});

it.each([
  [24_000, "de los $42.800 que ya pagaste, salen de tu bolsillo $18.800."],
  [42_800, "cubre todo lo que pagaste."],
])("an approval of %d after the last charge names the patient's own cost", (reimbursed, words) => {
  const facts = { ...addressed, reimbursed: clp(reimbursed), charge: null, settled: clp(42_800), undated: null };
  expect(claimApproved.mail["es-CL"](facts).paragraphs.join(" ")).toContain(words);
});

it.each([
  ["No cubre.", "Nos dijo: «No cubre.»"],
  ["No cubre", "Nos dijo: «No cubre»."],
])("a rejection quotes the isapre's %s with one full stop", (reason, words) => {
  const { paragraphs } = claimRejected.mail["es-CL"]({ ...addressed, reason, charge: null });
  expect(paragraphs[0]?.endsWith(words)).toBe(true);
});
