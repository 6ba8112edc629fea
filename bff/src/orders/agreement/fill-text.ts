import type { TextBlock } from "../../contract/agreement.ts";
import type { LegalTextKind } from "../../contract/vocabulary/legal-text.ts";
import { type KeptAgreement, PLACEHOLDERS, type Placeholder } from "./agreement-values.ts";

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The placeholders that the law requires in a text of each kind. A withdrawal may use no other. */
const NEEDED: Readonly<Record<LegalTextKind, readonly Placeholder[]>> = {
  contract: [
    "clinic",
    "clinic_rut",
    "patient",
    "patient_rut",
    "financing_provider",
    "price",
    "today",
    "later_charge",
    "commission",
    "commission_detail",
    "total_cost",
    "annual_cost",
    "stamp_tax",
    "latest_date",
  ],
  summary_sheet: [
    "financing_provider",
    "later",
    "later_charge",
    "commission",
    "commission_detail",
    "total_cost",
    "annual_cost",
    "stamp_tax",
    "latest_date",
  ],
  withdrawal: ["support_email"],
  privacy_notice: ["clinic", "financing_provider"],
};

/** The maximum number of characters of a withdrawal, which the checkout shows whole. */
const WITHDRAWAL_CHARACTERS_MAX = 300;

/** The faults of an operator's text, one line each. Empty if the text can be shown to patients. */
export function faultsOfText(kind: LegalTextKind, text: string): readonly string[] {
  const named = new Set([...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name));
  const allowed: readonly string[] = kind === "withdrawal" ? NEEDED.withdrawal : PLACEHOLDERS;
  const unknown = [...named].filter((name) => !allowed.includes(name));
  const missing = NEEDED[kind].filter((name) => !named.has(name));
  return [
    ...(/^# \S/.test(text.trim()) ? [] : ["It has no title: its first line must begin with `# `."]),
    ...unknown.map((name) => `{{${name}}} is not a name that can be filled in.`),
    ...missing.map((name) => `{{${name}}} is missing.`),
    ...(kind === "contract" && !/\bSERNAC\b/.test(text) ? ["It does not say whom to complain to (SERNAC)."] : []),
    ...(kind === "withdrawal" && !isOneSentence(text)
      ? [`After its title it must be one paragraph of at most ${WITHDRAWAL_CHARACTERS_MAX} characters.`]
      : []),
  ];
}

/** Whether a text names the stamp tax, if its kind has to. */
export function namesStampTax(kind: LegalTextKind, text: string): boolean {
  return !NEEDED[kind].includes("stamp_tax") || text.includes("{{stamp_tax}}");
}

function isOneSentence(text: string): boolean {
  const { blocks } = fillText(text, {});
  const [sentence] = blocks;
  return blocks.length === 1 && sentence?.type === "paragraph" && sentence.text.length <= WITHDRAWAL_CHARACTERS_MAX;
}

/**
 * Fills a text and splits it into title and blocks. `#` starts a heading, `-` a list item; an empty line ends a
 * paragraph.
 */
export function fillText(
  text: string,
  values: KeptAgreement["values"],
): { readonly title: string; readonly blocks: readonly TextBlock[] } {
  const [title, ...blocks] = text
    .trim()
    .split(/\n\s*\n|\n(?=- )/)
    .map((block) => toBlock(block, values));
  return { title: title?.text ?? "", blocks };
}

function toBlock(block: string, values: KeptAgreement["values"]): TextBlock {
  const [, mark = "", line = ""] = /^(#+ |- )?([\s\S]*)$/.exec(block.trim()) ?? [];
  // Filled in last, so that the name of a patient or clinic cannot make a heading.
  const text = line.replace(/\s*\n\s*/g, " ").replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
  return { type: mark === "" ? "paragraph" : mark === "- " ? "item" : "heading", text };
}
