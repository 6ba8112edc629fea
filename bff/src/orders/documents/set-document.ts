import { createRequire } from "node:module";
import PDFDocument from "pdfkit";
import sharp from "sharp";
import type { TextBlock } from "../../contract/agreement.ts";
import type { PdfFile } from "../../contract/order-files.ts";
import type { Locale } from "../../contract/widget-tokens.ts";
import type { Row } from "../../notifications/notification-definition.ts";

/*
 * Typesets a document of an order as a PDF: letterhead, tables, text, and a footer with page numbers. Everything is
 * tagged in reading order for screen readers, except rules and footers, which are artifacts.
 */

/** A document before typesetting. */
export interface SetDocument {
  /** The file's name, with its ending. */
  readonly name: string;
  readonly locale: Locale;
  readonly title: string;
  /** Identifies the document in every footer. */
  readonly foot: string;
  readonly letterhead: {
    readonly clinic: string;
    /** `#rrggbb` */
    readonly accent: string;
    /** A PNG or JPEG; null to show only the name. */
    readonly logo: Uint8Array | null;
  };
  readonly madeAt: Date;
  readonly sections: readonly Section[];
}

export interface Section {
  readonly title: string;
  /** Small, below the title. */
  readonly note?: string;
  readonly startsPage?: boolean;
  readonly amounts?: readonly Row[];
  readonly rows?: readonly Row[];
  readonly blocks?: readonly TextBlock[];
}

const { resolve } = createRequire(import.meta.url);
// Readers' built-in fonts lack letters of people's names.
const FONTS = {
  text: resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf"),
  bold: resolve("dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf"),
};
const MARGIN = 56;
const FOOT_HEIGHT = 28;
const INK = "#17201d";
const SOFT = "#56635e";
const LINE = "#cfd6d3";
const LOGO = { width: 160, height: 36 };
/** For 300 dpi. */
const LOGO_PIXELS_PER_POINT = 4;
const LOGO_PIXELS_MAX = 16_000_000;
const LABEL_SHARE = 0.42;
const GAP = 16;
/** Above and below the text of a row: a receipt with a second charge fits on one page. */
const ROW_PADDING = 4;

const STYLES = {
  heading: { font: FONTS.bold, size: 11, tag: "H3", before: 6, after: 4 },
  paragraph: { font: FONTS.text, size: 10, tag: "P", before: 0, after: 6 },
  item: { font: FONTS.text, size: 10, tag: "P", before: 0, after: 4 },
} as const;

/** Typesets a document. The same input gives the same bytes. */
export async function setDocument(document: SetDocument): Promise<PdfFile> {
  const { name, locale, title, foot, madeAt } = document;
  const pdf = new PDFDocument({
    size: "A4",
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOT_HEIGHT },
    tagged: true,
    displayTitle: true,
    lang: locale,
    pdfVersion: "1.7",
    bufferPages: true,
    font: FONTS.text,
    info: { Title: title, Subject: foot, CreationDate: madeAt },
  });
  const chunks: Buffer[] = [];
  pdf.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((done) => pdf.on("end", done));
  const root = pdf.struct("Document");
  pdf.addStructure(root);
  letterhead(pdf, root, document, await readLogo(document.letterhead.logo));
  for (const section of document.sections) setSection(pdf, root, section);
  numberPages(pdf, document);
  pdf.end();
  await ended;
  return { name, type: "application/pdf", base64: Buffer.concat(chunks).toString("base64") };
}

function letterhead(
  pdf: PDFKit.PDFDocument,
  root: PDFKit.PDFStructureElement,
  { title, letterhead: { clinic, accent } }: SetDocument,
  logo: Buffer | null,
): void {
  if (logo !== null) {
    root.add(
      pdf.struct("Figure", { alt: clinic }, () => {
        pdf.image(logo, MARGIN, MARGIN, { fit: [LOGO.width, LOGO.height] });
      }),
    );
    pdf.y = MARGIN + LOGO.height + 8;
  }
  root.add(pdf.struct("P", {}, () => void pdf.font(FONTS.bold, 11).fillColor(accent).text(clinic, MARGIN, pdf.y)));
  artifact(pdf, () => rule(pdf, pdf.y + 6, accent, 2));
  pdf.y += 22;
  root.add(pdf.struct("H1", {}, () => void pdf.font(FONTS.bold, 20).fillColor(INK).text(title, MARGIN, pdf.y)));
  pdf.y += 10;
}

/**
 * The logo as a PNG of 8 bits per channel: PDFKit draws a palette with transparency wrongly. Null if it cannot be read;
 * the letterhead then shows only the clinic's name.
 */
async function readLogo(logo: Uint8Array | null): Promise<Buffer | null> {
  if (logo === null) return null;
  const [width, height] = [LOGO.width * LOGO_PIXELS_PER_POINT, LOGO.height * LOGO_PIXELS_PER_POINT];
  try {
    return await sharp(logo, { limitInputPixels: LOGO_PIXELS_MAX })
      .resize({ width, height, fit: "inside", withoutEnlargement: true })
      .png({ palette: false })
      .toBuffer();
  } catch {
    return null;
  }
}

function setSection(pdf: PDFKit.PDFDocument, root: PDFKit.PDFStructureElement, section: Section): void {
  const { title, note, startsPage = false, amounts = [], rows = [], blocks = [] } = section;
  if (startsPage) pdf.addPage();
  else if (pdf.y > MARGIN) pdf.y += 10;
  keepTogether(pdf, 72);
  const part = pdf.struct("Sect");
  root.add(part);
  part.add(paragraph(pdf, title, { font: FONTS.bold, size: 13, tag: "H2", after: note === undefined ? 6 : 2 }));
  if (note !== undefined)
    part.add(paragraph(pdf, note, { font: FONTS.text, size: 8, tag: "P", after: 8, colour: SOFT }));
  if (amounts.length + rows.length > 0) setTable(pdf, part, { amounts, rows });
  for (const { type, text } of blocks) part.add(paragraph(pdf, type === "item" ? `• ${text}` : text, STYLES[type]));
}

interface Style {
  readonly font: string;
  readonly size: number;
  readonly tag: "H2" | "H3" | "P";
  readonly before?: number;
  readonly after: number;
  readonly colour?: string;
}

function paragraph(pdf: PDFKit.PDFDocument, text: string, style: Style): PDFKit.PDFStructureElement {
  const { font, size, tag, before = 0, after, colour = INK } = style;
  return pdf.struct(tag, {}, () => {
    pdf.y += before;
    pdf
      .font(font, size)
      .fillColor(colour)
      .text(text, MARGIN, pdf.y, { width: widthOf(pdf), lineGap: 2 });
    pdf.y += after;
  });
}

/**
 * Labels left, values right-aligned; a row stays on one page. Each element joins its parent first, because content is
 * drawn when it is added to an element of the tree.
 */
function setTable(
  pdf: PDFKit.PDFDocument,
  part: PDFKit.PDFStructureElement,
  { amounts, rows }: Required<Pick<Section, "amounts" | "rows">>,
): void {
  const element = pdf.struct("Table");
  part.add(element);
  for (const row of amounts) setRow(pdf, element, row, { size: 14, isBold: true });
  for (const row of rows) setRow(pdf, element, row, { size: 10, isBold: false });
  artifact(pdf, () => rule(pdf, pdf.y, LINE, 0.5));
  pdf.y += 10;
}

function setRow(
  pdf: PDFKit.PDFDocument,
  table: PDFKit.PDFStructureElement,
  [label, value]: Row,
  { size, isBold }: { readonly size: number; readonly isBold: boolean },
): void {
  const labelWidth = widthOf(pdf) * LABEL_SHARE - GAP;
  const valueWidth = widthOf(pdf) - labelWidth - GAP;
  const heightOf = (text: string, width: number, font: string, points: number) =>
    pdf.font(font, points).heightOfString(text, { width });
  const height = Math.max(
    heightOf(label, labelWidth, FONTS.text, 10),
    heightOf(value, valueWidth, isBold ? FONTS.bold : FONTS.text, size),
  );
  keepTogether(pdf, height + 2 * ROW_PADDING);
  artifact(pdf, () => rule(pdf, pdf.y, LINE, 0.5));
  const top = pdf.y + ROW_PADDING;
  const element = pdf.struct("TR");
  table.add(element);
  element.add(
    pdf.struct("TH", {}, () => {
      pdf.font(FONTS.text, 10).fillColor(SOFT);
      pdf.text(label, MARGIN, top + (size - 10) / 2, { width: labelWidth });
    }),
  );
  element.add(
    pdf.struct("TD", {}, () => {
      pdf.font(isBold ? FONTS.bold : FONTS.text, size).fillColor(INK);
      pdf.text(value, MARGIN + labelWidth + GAP, top, { width: valueWidth, align: "right" });
    }),
  );
  pdf.y = top + height + ROW_PADDING;
}

function numberPages(pdf: PDFKit.PDFDocument, { foot, locale }: SetDocument): void {
  const { count } = pdf.bufferedPageRange();
  for (let index = 0; index < count; index += 1) {
    pdf.switchToPage(index);
    // Text in the bottom margin would start another page.
    pdf.page.margins.bottom = 0;
    const y = pdf.page.height - MARGIN - 8;
    const number = locale === "en" ? `Page ${index + 1} of ${count}` : `Página ${index + 1} de ${count}`;
    artifact(pdf, () => {
      rule(pdf, y - 6, LINE, 0.5);
      pdf.font(FONTS.text, 8).fillColor(SOFT);
      pdf.text(foot, MARGIN, y, { width: widthOf(pdf) - 90, lineBreak: true });
      pdf.text(number, pdf.page.width - MARGIN - 80, y, { width: 80, align: "right" });
    });
  }
}

function keepTogether(pdf: PDFKit.PDFDocument, height: number): void {
  if (pdf.y + height > pdf.page.height - MARGIN - FOOT_HEIGHT) pdf.addPage();
}

function widthOf(pdf: PDFKit.PDFDocument): number {
  return pdf.page.width - 2 * MARGIN;
}

function rule(pdf: PDFKit.PDFDocument, y: number, colour: string, width: number): void {
  pdf
    .moveTo(MARGIN, y)
    .lineTo(pdf.page.width - MARGIN, y)
    .lineWidth(width)
    .strokeColor(colour)
    .stroke();
}

function artifact(pdf: PDFKit.PDFDocument, draw: () => void): void {
  pdf.markContent("Artifact", { type: "Layout" });
  draw();
  pdf.endMarkedContent();
}
