import { describe, expect, it } from "vitest";
import { clp } from "../../contract/vocabulary/clp.ts";
import { parseRut } from "../../contract/vocabulary/rut.ts";
import { quoteFor } from "../quote.ts";
import { agreementValues, PLACEHOLDERS } from "./agreement-values.ts";
import { faultsOfText, fillText } from "./fill-text.ts";

const facts = {
  clinic: { name: "Clínica Los Aromos", rut: parseRut("76900001-1"), supportEmail: "ayuda@example.com" },
  order: {
    reference: "AGENDA-20417",
    commissionTax: {
      regime: "taxed_service" as const,
      issuer: { name: "AAPD de Prueba SpA", rut: parseRut("76904444-2") },
    },
    customer: {
      rut: parseRut("40100000-3"),
      firstName: "{{total_cost}}",
      lastName: "# Ñusta Quispe",
      email: "c@example.com",
      phoneNumber: "+56912345678",
    },
  },
  quote: quoteFor({
    total: clp(45_952),
    commissionBasisPoints: 700,
    commissionTax: { regime: "taxed_service" },
    financingProvider: "Financiera Andina S.A.",
    annualCost: { convention: "linear", dayBase: 365 },
    now: new Date("2026-11-21T15:00:00Z"),
  }),
  stampTax: { terms: { borneBy: "lender" as const }, included: null },
  now: new Date("2026-11-21T15:00:00Z"),
};

const WITHDRAWAL_TOO_LONG = "After its title it must be one paragraph of at most 300 characters.";

describe("an operator's text", () => {
  const whole = `# Contrato\n\n${PLACEHOLDERS.map((name) => `{{${name}}}`).join(" ")} SERNAC`;

  it.each([
    ["contract", whole, []],
    ["contract", whole.replace("SERNAC", ""), ["It does not say whom to complain to (SERNAC)."]],
    ["contract", whole.replace("# ", ""), ["It has no title: its first line must begin with `# `."]],
    [
      "contract",
      whole.replace("{{annual_cost}}", "{{cae}}"),
      ["{{cae}} is not a name that can be filled in.", "{{annual_cost}} is missing."],
    ],
    ["contract", whole.replace("{{commission_detail}}", ""), ["{{commission_detail}} is missing."]],
    ["contract", whole.replace("{{stamp_tax}}", ""), ["{{stamp_tax}} is missing."]],
    ["privacy_notice", "# Privacidad\n\n{{clinic}}", ["{{financing_provider}} is missing."]],
    ["withdrawal", "# Retracto\n\nTienes 10 días: escribe a {{support_email}}.", []],
    ["withdrawal", "# Retracto\n\nTienes 10 días.", ["{{support_email}} is missing."]],
    [
      "withdrawal",
      "# Retracto\n\nEscribe a {{clinic}}, {{support_email}}.",
      ["{{clinic}} is not a name that can be filled in."],
    ],
    ["withdrawal", "# Retracto\n\nNo hay.\n\nEscribe a {{support_email}}.", [WITHDRAWAL_TOO_LONG]],
    ["withdrawal", `# Retracto\n\n${"No hay. ".repeat(40)} {{support_email}}`, [WITHDRAWAL_TOO_LONG]],
  ] as const)("lists each fault of a %s", (kind, text, faults) => {
    expect(faultsOfText(kind, text)).toEqual(faults);
  });

  it("fills a text with the figures of the order, in the language of the text", () => {
    const text =
      "# Costo\n\n## Total\n\nPagas {{total_cost}}\nhasta el {{latest_date}}.\n\n- CAE {{annual_cost}}\n- Hoy {{today}}";
    expect(fillText(text, agreementValues(facts, "es-CL"))).toEqual({
      title: "Costo",
      blocks: [
        { type: "heading", text: "Total" },
        { type: "paragraph", text: "Pagas $49.169 hasta el 5 de enero de 2027." },
        { type: "item", text: "CAE 81,12%" },
        { type: "item", text: "Hoy $13.786" },
      ],
    });
    expect(fillText("# Cost\n\n{{latest_date}}, {{annual_cost}}", agreementValues(facts, "en")).blocks).toEqual([
      { type: "paragraph", text: "5 January 2027, 81.12%" },
    ]);
  });

  it.each([
    ["es-CL", "La cobra AAPD de Prueba SpA, RUT 76.904.444-2: $2.703 netos más $514 de IVA."],
    ["en", "Charged by AAPD de Prueba SpA, RUT 76.904.444-2: $2.703 net plus $514 VAT."],
  ] as const)("says in %s who charges a taxed commission, its net price and VAT", (locale, detail) => {
    expect(agreementValues(facts, locale).commission_detail).toBe(detail);
  });

  it.each([
    ["es-CL", "Financiera Andina S.A. la cobra como interés del crédito, sin IVA.", "No se cobra."],
    ["en", "Financiera Andina S.A. charges it as interest on the credit, without VAT.", "None is charged."],
  ] as const)("says in %s that a commission is interest, or that there is none", (locale, interest, none) => {
    const order = { ...facts.order, commissionTax: { regime: "interest" as const } };
    expect(agreementValues({ ...facts, order }, locale).commission_detail).toBe(interest);
    const quote = { ...facts.quote, commission: clp(0) };
    expect(agreementValues({ ...facts, quote }, locale).commission_detail).toBe(none);
  });

  it.each([
    [
      { borneBy: "lender" },
      "El impuesto de timbres y estampillas, si corresponde, lo paga Financiera Andina S.A.: no se te cobra.",
      "If stamp tax (impuesto de timbres y estampillas) is due, Financiera Andina S.A. pays it: you are not charged.",
    ],
    [
      { borneBy: "none", exemption: "DL 3.475, art. 24" },
      "El crédito está exento del impuesto de timbres y estampillas (DL 3.475, art. 24).",
      "The credit is exempt from stamp tax (impuesto de timbres y estampillas): DL 3.475, art. 24.",
    ],
    [
      { borneBy: "commission", monthlyPartsPerMillion: 660 },
      "La comisión incluye $42 de impuesto de timbres y estampillas (0,132% de $32.166), que Financiera Andina S.A. paga al fisco.",
      "The fee includes $42 of stamp tax (impuesto de timbres y estampillas, 0.132% of $32.166), which Financiera Andina S.A. pays to the treasury.",
    ],
  ] as const)("says who bears the stamp tax: $borneBy", (terms, spanish, english) => {
    const included = terms.borneBy === "commission" ? { amount: clp(42), partsPerMillion: 1_320 } : null;
    const taxed = { ...facts, stampTax: { terms, included } };
    expect(agreementValues(taxed, "es-CL").stamp_tax).toBe(spanish);
    expect(agreementValues(taxed, "en").stamp_tax).toBe(english);
  });

  it("treats a name with Markdown or placeholders in it as plain words", () => {
    const { blocks } = fillText("# C\n\n{{patient}}", agreementValues(facts, "es-CL"));
    expect(blocks).toEqual([{ type: "paragraph", text: "{{total_cost}} # Ñusta Quispe" }]);
  });
});
