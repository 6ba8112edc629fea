import { createRequire } from "node:module";
import PDFDocument from "pdfkit";
import type { AgreementFile, FilledText, TextBlock } from "../../contract/agreement.ts";

const { resolve } = createRequire(import.meta.url);
// The built-in fonts of PDF readers lack letters that occur in people's names.
const FONTS = {
  text: resolve("dejavu-fonts-ttf/ttf/DejaVuSans.ttf"),
  bold: resolve("dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf"),
};

const STYLES = {
  title: { font: FONTS.bold, size: 18, tag: "H1", before: 0 },
  heading: { font: FONTS.bold, size: 12, tag: "H2", before: 8 },
  paragraph: { font: FONTS.text, size: 10, tag: "P", before: 0 },
  item: { font: FONTS.text, size: 10, tag: "P", before: 0 },
} as const;

/** The content of an agreement file. */
export interface PrintedAgreement {
  readonly reference: string;
  readonly texts: readonly FilledText[];
  readonly printedAt: Date;
}

/** Prints the texts of an agreement, each on a new page, tagged for screen readers. */
export async function printAgreement({ reference, texts, printedAt }: PrintedAgreement): Promise<AgreementFile> {
  const [first] = texts;
  const document = new PDFDocument({
    size: "A4",
    margin: 56,
    tagged: true,
    displayTitle: true,
    lang: first?.locale ?? "es-CL",
    pdfVersion: "1.7",
    autoFirstPage: false,
    font: FONTS.text,
    info: { Title: first?.title ?? "", Subject: reference, CreationDate: printedAt },
  });
  const chunks: Buffer[] = [];
  document.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((done) => document.on("end", done));
  for (const text of texts) print(document, text);
  document.end();
  await ended;
  return { name: "contrato.pdf", type: "application/pdf", base64: Buffer.concat(chunks).toString("base64") };
}

function print(document: PDFKit.PDFDocument, { title, blocks }: FilledText): void {
  document.addPage();
  const section = document.struct("Sect");
  document.addStructure(section);
  for (const block of [{ type: "title", text: title } as const, ...blocks]) section.add(lineOf(document, block));
}

function lineOf(
  document: PDFKit.PDFDocument,
  { type, text }: TextBlock | { readonly type: "title"; readonly text: string },
): PDFKit.PDFStructureElement {
  const { font, size, tag, before } = STYLES[type];
  return document.struct(tag, {}, () => {
    document.y += before;
    document.font(font, size).text(type === "item" ? `• ${text}` : text, { indent: 0, lineGap: 2, paragraphGap: 8 });
  });
}
