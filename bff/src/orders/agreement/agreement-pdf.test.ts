import { extractText, getMeta } from "unpdf";
import { expect, it } from "vitest";
import { printAgreement } from "./agreement-pdf.ts";

it("is a file with every text on a page of its own, word for word, with every letter of people's names", async () => {
  const printed = {
    reference: "AGENDA-20417",
    printedAt: new Date("2026-11-21T15:00:00Z"),
    texts: [
      {
        kind: "contract" as const,
        version: "1",
        locale: "es-CL" as const,
        title: "Contrato",
        blocks: [
          { type: "heading" as const, text: "Quién paga" },
          { type: "paragraph" as const, text: "María José O'Ryan Díaz y Łukasz Núñez, $49.169." },
          { type: "item" as const, text: "Hoy: $13.786" },
        ],
      },
      { kind: "privacy_notice" as const, version: "1", locale: "es-CL" as const, title: "Privacidad", blocks: [] },
    ],
  };
  const { name, type, base64 } = await printAgreement(printed);
  expect([name, type]).toEqual(["contrato.pdf", "application/pdf"]);
  const bytes = () => new Uint8Array(Buffer.from(base64, "base64"));
  const { text } = await extractText(bytes());
  expect(text.map((page) => page.replaceAll(/\s+/g, " ").trim())).toEqual([
    "Contrato Quién paga María José O'Ryan Díaz y Łukasz Núñez, $49.169. • Hoy: $13.786",
    "Privacidad",
  ]);
  expect((await getMeta(bytes())).info).toMatchObject({ Title: "Contrato" });
  expect((await printAgreement(printed)).base64).toBe(base64);
});
