import { getDocumentProxy } from "unpdf";
import { describe, expect, it } from "vitest";
import {
  exampleAgreement,
  exampleOrder,
  examplePayment,
  exampleReceipt,
  exampleRefund,
  exampleUpcoming,
} from "../../../sandbox/gallery/document-examples.ts";
import { EXAMPLE_LOGO } from "../../../sandbox/gallery/example-logo.ts";
import { clp } from "../../contract/vocabulary/clp.ts";
import { agreementDocument } from "./agreement-document.ts";
import { calendarEntry } from "./calendar-entry.ts";
import { receiptDocument } from "./receipt-document.ts";
import { type SetDocument, setDocument } from "./set-document.ts";

interface Part {
  readonly role?: string;
  readonly alt?: string;
  readonly type?: string;
  readonly id?: string;
  readonly children?: readonly Part[];
}

/** A PDF as a reader sees it: its pages' texts, and what each tag of its structure holds, in reading order. */
async function read(document: SetDocument) {
  const { base64 } = await setDocument(document);
  const file = await getDocumentProxy(new Uint8Array(Buffer.from(base64, "base64")));
  const pages: string[] = [];
  const tagged: [string, string][] = [];
  for (let number = 1; number <= file.numPages; number += 1) {
    const page = await file.getPage(number);
    const { items } = await page.getTextContent({ includeMarkedContent: true });
    const texts = new Map<string, string>();
    const open: string[] = [];
    let all = "";
    for (const item of items as { type?: string; id?: string; str?: string; hasEOL?: boolean }[]) {
      if (item.str === undefined) {
        if (item.type === "endMarkedContent") open.pop();
        else open.push(item.id ?? "");
        continue;
      }
      const text = `${item.str}${item.hasEOL === true ? " " : ""}`;
      all += text;
      const id = open.at(-1) ?? "";
      texts.set(id, (texts.get(id) ?? "") + text);
    }
    pages.push(all.replaceAll(/\s+/g, " ").trim());
    const visit = (part: Part, role: string) => {
      if (part.type === "content") tagged.push([role, (texts.get(part.id ?? "") ?? "").replaceAll(/\s+/g, " ").trim()]);
      for (const child of part.children ?? []) visit(child, child.role ?? role);
    };
    visit((await page.getStructTree()) as Part, "");
  }
  return { file, pages, tagged };
}

/** The values of a document's tables, by label. */
async function tableOf(document: SetDocument): Promise<Map<string, string>> {
  const { tagged } = await read(document);
  return new Map(
    tagged.flatMap(([role, text], at) => (role === "TH" ? [[text, tagged[at + 1]?.[1] ?? ""] as const] : [])),
  );
}

describe("a receipt", () => {
  it("names the payment, the second charge and its last day, the fee, the lender and the contacts", async () => {
    const table = await tableOf(receiptDocument(exampleReceipt));
    expect(Object.fromEntries(table)).toEqual({
      Pagaste: "$12.000",
      Clínica: "Clínica Los Aromos del Sur SpA, RUT 76.900.001-1",
      Paciente: "María José O'Ryan Núñez, RUT 40.100.000-3",
      Referencia: "AGENDA-20417",
      "Fecha de la atención": "20 de noviembre de 2026",
      "Fecha y hora": "21 de noviembre de 2026, 12:00",
      "Precio de la atención": "$40.000",
      Tarjeta: "Visa ••6623",
      "Código de autorización": "418207",
      Monto: "$30.800",
      Estado: "Por cobrar",
      "A más tardar": "5 de enero de 2027",
      "Comisión (IVA incluido)": "$2.800",
      "Neto e IVA": "$2.353 + $447",
      "La cobra": "AAPD de Prueba SpA, RUT 76.904.444-2",
      "Lo financia": "Financiera Andina S.A.",
      // The law requires the result of the assessment in writing, approved or not (Ley 19.496, art. 17 N).
      "Evaluación del crédito": "Aprobada",
      "CAE (costo anual)": "81,11%",
    });
    const { pages } = await read(receiptDocument(exampleReceipt));
    expect(pages.join(" ")).toContain("ayuda@losaromos.example.com · +56 2 2345 6789");
  });

  it("does not name the day of the consultation before it is known", async () => {
    const table = await tableOf(receiptDocument({ ...exampleReceipt, consultationDay: null }));
    expect(table.has("Fecha de la atención")).toBe(false);
  });

  it("is tagged in its reading order, has a title and a language, and numbers its pages outside of the tags", async () => {
    const { file, pages, tagged } = await read(receiptDocument({ ...exampleReceipt, locale: "en" }));
    expect(tagged.slice(0, 5)).toEqual([
      ["P", "Clínica Los Aromos del Sur SpA"],
      ["H1", "Payment receipt"],
      ["H2", "Your payment"],
      ["TH", "You paid"],
      ["TD", "$12.000"],
    ]);
    expect(await file.getMarkInfo()).toMatchObject({ Marked: true });
    expect(await file.getViewerPreferences()).toMatchObject({ DisplayDocTitle: true });
    expect((await file.getMetadata()).info).toMatchObject({ Title: "Payment receipt", Language: "en" });
    expect(pages[0]).toContain("Page 1 of 1");
    expect(tagged.some(([, text]) => text.includes("Page 1"))).toBe(false);
  });

  it("shows the day, card and code of a second charge that was made", async () => {
    const charge = {
      ...examplePayment,
      kind: "deferred" as const,
      amount: clp(30_800),
      commission: clp(2_800),
      card: { ...examplePayment.card, brand: "mastercard" as const, last4: "0568" },
      voucher: { authorisationCode: "991122" },
      createdAt: new Date("2026-12-03T15:00:00Z"),
    };
    const order = { ...exampleOrder, payments: [examplePayment, charge] };
    const upcoming = { ...exampleUpcoming, status: "none" as const, amount: clp(0), commission: clp(0), day: null };
    const { tagged } = await read(receiptDocument({ ...exampleReceipt, order, upcoming }));
    const second = tagged.slice(tagged.findIndex(([role, text]) => role === "H2" && text === "Segundo cobro"));
    expect(second.map(([, text]) => text).join("|")).toMatch(
      /^Segundo cobro\|Monto\|\$30\.800\|Estado\|Cobrado\|Pagado el\|3 de diciembre de 2026\|Tarjeta\|Mastercard ••0568\|Código de autorización\|991122/,
    );
  });

  it.each([
    [
      { ...exampleUpcoming, status: "card_needed" as const, day: null },
      "Por pagar con otra tarjeta",
      "5 de enero de 2027",
    ],
    [{ ...exampleUpcoming, status: "on_hold" as const, day: null }, "Pendiente; no se cobra por ahora", undefined],
  ])("shows a debt that no mandate charges: %#", async (upcoming, status, day) => {
    const table = await tableOf(receiptDocument({ ...exampleReceipt, upcoming }));
    expect([table.get("Estado"), table.get("A más tardar")]).toEqual([status, day]);
  });

  it("names each refund by its day, with its price and where the money went", async () => {
    const order = { ...exampleOrder, refunded: clp(31_000), refunds: [exampleRefund] };
    const { tagged } = await read(receiptDocument({ ...exampleReceipt, order }));
    const [, ...refund] = tagged.slice(
      tagged.findIndex(([, text]) => text === "Devolución del 25 de noviembre de 2026"),
    );
    expect(refund.slice(0, 6).map(([, text]) => text)).toEqual([
      ...["Precio devuelto", "$31.000"],
      ...["Descontado del segundo cobro", "$30.800"],
      ...["Devuelto a la tarjeta ••6623", "$3.000"],
    ]);
  });

  it("leaves out a refund that has moved nothing", async () => {
    const movements = exampleRefund.movements.map((movement) => ({ ...movement, status: "refused" as const }));
    const order = { ...exampleOrder, refunds: [{ ...exampleRefund, status: "failed" as const, movements }] };
    const { tagged } = await read(receiptDocument({ ...exampleReceipt, order }));
    expect(tagged.filter(([, text]) => text.startsWith("Devolución"))).toEqual([]);
  });

  it("names what the patient's bank returned of each charge", async () => {
    const disputed = { ...examplePayment, disputed: clp(12_000) };
    const table = await tableOf(
      receiptDocument({ ...exampleReceipt, order: { ...exampleOrder, payments: [disputed] } }),
    );
    expect(table.get("Devuelto por tu banco")).toBe("$12.000");
  });

  it("says that a written-off charge is not made", async () => {
    const order = { ...exampleOrder, deferredWrittenOffAt: new Date("2027-03-01T12:00:00Z") };
    const upcoming = { ...exampleUpcoming, status: "none" as const, amount: clp(0), commission: clp(0), day: null };
    const table = await tableOf(receiptDocument({ ...exampleReceipt, order, upcoming }));
    expect([table.get("Monto"), table.get("Estado")]).toEqual(["$0", "Ya no se cobra"]);
  });
});

describe("a contract", () => {
  it("names the parties and the acceptance, and prints each text with its version and hash on its own page", async () => {
    const { pages, tagged } = await read(agreementDocument(exampleAgreement));
    expect(pages).toHaveLength(3);
    expect(pages[0]).toContain("Aceptado el 21 de noviembre de 2026, 12:00");
    expect(pages[0]).toContain("Fecha de la atención 20 de noviembre de 2026");
    expect(pages[1]).toContain(
      "Contrato de crédito Versión 3 · Huella SHA-256 del texto: dfe79750c1fd7f6bd6304cd176ac8293b44242bb700b573d26082813eb3e1ab3",
    );
    expect(pages[1]).toContain("Quién paga María José O'Ryan Núñez y Łukasz Núñez, $49.169. • Hoy: $12.000");
    expect(tagged.filter(([role]) => role === "H1" || role === "H2").map(([, text]) => text)).toEqual([
      "Tu contrato",
      "Partes y aceptación",
      "Contrato de crédito",
      "Privacidad",
    ]);
  });

  it("is the same file for the same facts", async () => {
    const document = agreementDocument(exampleAgreement);
    expect(await setDocument(document)).toEqual(await setDocument(document));
  });

  it("does not say that texts are accepted before they are", async () => {
    const { pages } = await read(agreementDocument({ ...exampleAgreement, agreedAt: null }));
    expect(pages[0]).toContain("Todavía no aceptado");
    expect(pages[0]).not.toContain("Aceptado electrónicamente");
  });
});

it("a logo with a palette and transparency is embedded with its colours", async () => {
  const letterhead = { ...exampleReceipt.letterhead, logo: Buffer.from(EXAMPLE_LOGO, "base64") };
  const { base64 } = await setDocument(receiptDocument({ ...exampleReceipt, letterhead }));
  const file = Buffer.from(base64, "base64").toString("latin1");
  expect(file).toContain("/SMask");
  expect(file).not.toContain("/Indexed");
});

it("an unreadable logo is replaced by the clinic's name, which is also the alternative of a readable one", async () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const withLogo = (logo: Uint8Array) =>
    receiptDocument({ ...exampleReceipt, letterhead: { ...exampleReceipt.letterhead, logo } });
  const rolesOf = async (logo: Uint8Array) => (await read(withLogo(logo))).tagged.slice(0, 2).map(([role]) => role);
  expect(await rolesOf(png)).toEqual(["Figure", "P"]);
  expect(await rolesOf(Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2]))).toEqual(["P", "H1"]);
});

describe("a calendar entry", () => {
  const facts = {
    order: exampleOrder,
    clinic: exampleReceipt.clinic,
    consultationDay: exampleReceipt.consultationDay,
    upcoming: exampleUpcoming,
    locale: "es-CL" as const,
    now: exampleReceipt.madeAt,
  };
  /** The lines of an entry, unfolded, by name. */
  const linesOf = (given: Partial<Parameters<typeof calendarEntry>[0]>) => {
    const text = Buffer.from(calendarEntry({ ...facts, ...given }).base64, "base64").toString();
    expect(text.split("\r\n").every((line) => Buffer.byteLength(line) <= 75)).toBe(true);
    const unfolded = text.replaceAll("\r\n ", "").split("\r\n");
    return new Map(
      unfolded.map((line) => [line.replace(/[:;].*/, ""), line.replace(/^[^:]*:/, "")]).toReversed() as [
        string,
        string,
      ][],
    );
  };

  it("names the last day of the charge", () => {
    const lines = linesOf({});
    expect([lines.get("METHOD"), lines.get("STATUS"), lines.get("DTSTART"), lines.get("DTEND")]).toEqual([
      "PUBLISH",
      "CONFIRMED",
      "20270105",
      "20270106",
    ]);
    expect(lines.get("SUMMARY")).toBe("Segundo cobro $30.800 · Clínica Los Aromos del Sur SpA");
    expect(lines.get("DESCRIPTION")).toContain("AGENDA-20417\\nFecha de la atención: 20 de noviembre de 2026");
  });

  it("keeps its UID and raises its SEQUENCE when the day changes, and cancels when no charge is to come", () => {
    const first = linesOf({});
    const moved = linesOf({
      upcoming: { ...exampleUpcoming, status: "on_day", day: "2026-12-03" },
      now: new Date("2026-12-02T15:00:00Z"),
    });
    const over = linesOf({ upcoming: null, now: new Date("2026-12-03T15:00:00Z") });
    expect([moved.get("UID"), over.get("UID")]).toEqual([first.get("UID"), first.get("UID")]);
    expect(first.get("UID")).not.toContain(exampleOrder.orderId);
    expect([first, moved, over].map((lines) => Number(lines.get("SEQUENCE")))).toEqual([0, 950_400, 1_036_800]);
    expect([moved.get("DTSTART"), over.get("METHOD"), over.get("STATUS")]).toEqual(["20261203", "CANCEL", "CANCELLED"]);
  });

  it("escapes the clinic's name", () => {
    const lines = linesOf({ clinic: { name: 'Uno, "dos"; tres\r\nATTACH:x', supportEmail: "a@example.com" } });
    expect(lines.get("SUMMARY")).toBe('Segundo cobro $30.800 · Uno\\, "dos"\\; tres\\nATTACH:x');
    expect(lines.has("ATTACH")).toBe(false);
  });
});
