import { extractText, getDocumentProxy, getMeta } from "unpdf";
import { expect, it } from "vitest";
import { printAgreement } from "./agreement-pdf.ts";

it("prints each text on a separate page, word for word, with every letter of people's names", async () => {
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

/** A line read back from a page of the file. */
interface Line {
  readonly str: string;
  readonly height: number;
  readonly transform: readonly number[];
}
interface Part {
  readonly role?: string;
  readonly children?: readonly Part[];
}

it("uses three font sizes with space between the parts, and marks the parts for screen readers", async () => {
  const blocks = [
    { type: "heading", text: "Quién paga" },
    { type: "paragraph", text: `María ${"palabra ".repeat(14)}fin` },
    { type: "item", text: "Hoy" },
    { type: "paragraph", text: "Ayer" },
  ] as const;
  const text = { kind: "contract", version: "1", locale: "es-CL", title: "Contrato" } as const;
  const texts = [{ ...text, blocks: [...blocks] }];
  const { base64 } = await printAgreement({ reference: "AGENDA-20417", printedAt: new Date(0), texts });
  const file = await getDocumentProxy(new Uint8Array(Buffer.from(base64, "base64")));
  const page = await file.getPage(1);
  const { items }: { items: readonly Line[] } = await page.getTextContent();
  const lines = items.filter(({ str }) => str !== "");
  const placed = lines.map(({ str, height, transform }) => [
    str.slice(0, 10),
    height,
    ...transform.slice(4).map(Math.round),
  ]);
  expect(placed).toEqual([
    ["Contrato", 18, 56, 769],
    ["Quién paga", 12, 56, 736],
    ["María pala", 10, 56, 714],
    ["palabra pa", 10, 56, 700],
    ["• Hoy", 10, 56, 678],
    ["Ayer", 10, 56, 657],
  ]);
  const { children: sections = [] }: Part = await page.getStructTree();
  const rolesOf = (parts: readonly Part[] = []) => parts.map(({ role }) => role);
  expect(rolesOf(sections)).toEqual(["Sect"]);
  expect(rolesOf(sections[0]?.children)).toEqual(["H1", "H2", "P", "P", "P"]);
  expect(await file.getMarkInfo()).toMatchObject({ Marked: true });
  expect(await file.getViewerPreferences()).toMatchObject({ DisplayDocTitle: true });
});
