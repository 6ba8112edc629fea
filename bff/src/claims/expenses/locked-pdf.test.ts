import { readFileSync } from "node:fs";
import PDFDocument from "pdfkit";
import { describe, expect, it } from "vitest";
import { needsPassword } from "./locked-pdf.ts";

function pdfWith(options: ConstructorParameters<typeof PDFDocument>[0]): Promise<Buffer> {
  const document = new PDFDocument(options);
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    document.on("data", (chunk: Buffer) => chunks.push(chunk)).on("end", () => resolve(Buffer.concat(chunks)));
    document.text("Boleta").end();
  });
}
const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.pdf`, import.meta.url));

/** RC4 with 40 and 128 bits, AES with 128 bits, and AES with 256 bits of Adobe's extension. */
describe.each(["1.3", "1.4", "1.7", "1.7ext3"] as const)("a PDF encrypted as in version %s", (pdfVersion) => {
  it("needs a password if it has a user password", async () => {
    expect(needsPassword(await pdfWith({ pdfVersion, userPassword: "11111111" }))).toBe(true);
    expect(needsPassword(await pdfWith({ pdfVersion, userPassword: "1", ownerPassword: "2" }))).toBe(true);
  });

  it("opens without a password if it has only an owner password", async () => {
    expect(needsPassword(await pdfWith({ pdfVersion, ownerPassword: "2" }))).toBe(false);
  });
});

describe("a PDF", () => {
  it("in ISO 32000-2 format with a cross-reference stream is parsed too", () => {
    expect(needsPassword(fixture("aes-256-locked"))).toBe(true);
    expect(needsPassword(fixture("aes-256-owner-only"))).toBe(false);
  });

  it("opens without encryption, whatever its text says", async () => {
    expect(needsPassword(await pdfWith({ info: { Title: "/Encrypt 1 0 R" } }))).toBe(false);
    expect(needsPassword(Buffer.from("%PDF-1.7 /Encrypt"))).toBe(false);
  });

  it("counts as locked if it is encrypted for certificates or in an unknown way", () => {
    const trailer = (dictionary: string) => Buffer.from(`%PDF-1.7\ntrailer << /Encrypt << ${dictionary} >> >>`);
    expect(needsPassword(trailer("/Filter /Adobe.PubSec /V 4"))).toBe(true);
    expect(needsPassword(trailer("/Filter /Standard /V 9 /R 9 /O (x) /U (x)"))).toBe(true);
    expect(needsPassword(trailer("/Filter /Standard /V 2 /R 3"))).toBe(true);
  });

  it.each(["\n", "\r", "\r\n"])("may continue a string on the next line (%j)", async (lineEnd) => {
    const pdf = (await pdfWith({ ownerPassword: "2" })).toString("latin1");
    const octal = (byte: number) => `\\${byte.toString(8).padStart(3, "0")}`;
    const continued = pdf.replaceAll(/\/([OU]) <([0-9a-f]{64})>/g, (_all, name: string, hex: string) => {
      return `/${name} (${[...Buffer.from(hex, "hex")].map(octal).join(`\\${lineEnd}`)})`;
    });
    expect(continued).not.toBe(pdf);
    expect(needsPassword(Buffer.from(continued, "latin1"))).toBe(false);
  });

  it("is parsed by its last encryption dictionary if an update replaces the first", async () => {
    const locked = await pdfWith({ userPassword: "1" });
    const [, number] = /\/Encrypt (\d+) 0 R/.exec(locked.toString("latin1")) ?? [];
    const other = `\n1${number} 0 obj\n<< /Filter /Adobe.PubSec /V 4 >>\nendobj\n`;
    expect(needsPassword(Buffer.concat([locked, Buffer.from(other)]))).toBe(true);
    const open = await pdfWith({ ownerPassword: "1" });
    expect(needsPassword(Buffer.concat([open, Buffer.from(other)]))).toBe(false);
  });

  // 2 MB of each take at most 7 ms (measured 2026-11-27). No input makes a search restart.
  it.each([
    ["names", "/Encrypt ".repeat(220_000)],
    ["names that end early", `${"/Encryp".repeat(285_000)}/Encrypt 1 0 R`],
    ["references to missing objects", "/Encrypt 91 0 R ".repeat(60_000) + "91 0 ob".repeat(140_000)],
    ["objects with a similar number", `${"191 0 obj".repeat(210_000)}${"/Encrypt 91 0 R".repeat(4)}`],
    [
      "unclosed strings",
      `/Encrypt << /Filter /Standard /V 4 /R 4 /O ${"(".repeat(8_000)} /U ${"(\\".repeat(4_000)} >>`,
    ],
    ["long numbers", `/Encrypt << /Filter /Standard /V 2 /R ${"6".repeat(8_000)}`],
  ])("takes bounded time for a hostile %s", (_what, text) => {
    expect(typeof needsPassword(Buffer.from(`%PDF-1.7\n${text}`, "latin1"))).toBe("boolean");
  });
});
