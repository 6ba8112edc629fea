import type { CommissionTax } from "../../contract/vocabulary/commission-tax.ts";
import type { Provider } from "../../platform/provider.ts";
import type { IssuedCredential } from "../../tenants/credentials.ts";
import type { ShownCredential } from "../../tenants/providers.ts";
import type { WebhookEndpoint } from "../../webhooks/webhook-endpoint.ts";
import { REQUEST_OPEN_DAYS } from "../approvals/approval.ts";
import type { CarriedOut, TwoPeopleOutcome } from "../approvals/two-people.ts";

/** A command's answer: one JSON object for scripts, or lines for people. */
export interface Shown {
  readonly json: object;
  readonly lines: readonly string[];
}

export function answerText({ json, lines }: Shown, asJson: boolean): string {
  return asJson ? `${JSON.stringify(json)}\n` : `${lines.map(withoutControls).join("\n")}\n`;
}

/** Text from outside (names, references) must not move an operator's cursor or overwrite a line. */
function withoutControls(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, "�");
}

/** The outcome of a command that needs two people. A secret is on a separate line, as `NAME=value`. */
export function shownOutcome(outcome: TwoPeopleOutcome): Shown {
  if (!outcome.isDone) {
    const lines = [
      `Nothing is done yet: another operator must run the same command or approve the request within ${REQUEST_OPEN_DAYS} days.`,
      `  aapd approvals approve ${outcome.requestId}`,
    ];
    return { json: { is_done: false, approval: outcome.requestId }, lines };
  }
  return { json: { is_done: true }, lines: carriedOutLines(outcome) };
}

export function carriedOutLines({ outcome, secret }: CarriedOut): string[] {
  return secret === null
    ? [outcome]
    : [`${secret.name}=${secret.value}`, outcome, "The secret will not be shown again."];
}

/** Rows in aligned columns; numbers have thousands separators and end at the right. */
export function alignedColumns(rows: ReadonlyArray<ReadonlyArray<string | number>>): string[] {
  const texts = rows.map((row) =>
    row.map((value) => (typeof value === "number" ? value.toLocaleString("es-CL") : value)),
  );
  const widths = (texts[0] ?? []).map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)));
  return texts.map((row) =>
    row
      .map((text, at) => {
        const isNumber = rows.some((one) => typeof one[at] === "number");
        return isNumber ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
      })
      .join("  ")
      .trimEnd(),
  );
}

/** Names and values in two columns. */
function table(rows: ReadonlyArray<readonly [name: string, value: string]>): string[] {
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
}

export function providerLines(provider: Provider): string[] {
  const { settings } = provider;
  return table([
    ["id", provider.id],
    ["name", provider.name],
    ["rut", provider.rut],
    ["environment", provider.environment],
    ["active", provider.active ? "yes" : "no"],
    ["scopes", provider.scopes.join(", ") || "none"],
    ["origins", provider.origins.join(", ") || "none"],
    ["return URLs", provider.returnUrls.join(", ") || "none"],
    [
      "support",
      [provider.supportEmail, provider.supportPhone, provider.supportWhatsapp]
        .filter((text) => text !== null)
        .join(", "),
    ],
    ["logo", provider.logoUrl ?? "none"],
    ["appearance", appearanceWords(provider)],
    ["commission", `${settings.commissionBasisPoints / 100} %, ${taxWords(settings.commissionTax)}`],
    ["capture first", settings.captureFirst ? "yes" : "no"],
    ["cards", settings.cardPage ? "on the processor's page, where it has one" : "in the checkout"],
    ["known patients", settings.knownPatients ? `yes, for ${settings.identityTrustedDays} days` : "no"],
    ["minors", settings.takesMinors ? "may pay" : "refused"],
    ["unpaid orders", expiryWords(settings.unpaidOrderExpiryMinutes)],
  ]);
}

function taxWords(tax: CommissionTax): string {
  if (tax.issuer === undefined) return "interest, without tax documents";
  const issuer = `${tax.issuer.name}, ${tax.issuer.rut}`;
  return tax.regime === "interest" ? `interest, with exempt boletas of ${issuer}` : `a service with VAT of ${issuer}`;
}

function appearanceWords({ appearance }: Provider): string {
  const settings = Object.entries(appearance).map(([name, value]) => `${name.replace("_", " ")} ${value}`);
  return settings.join(", ") || "the widget's own";
}

function expiryWords(minutes: number | null): string {
  return minutes === null ? "stay" : `are cancelled after ${minutes} min`;
}

/** `{client_secret: "cs_…", …}` */
export function issuedJson(issued: readonly IssuedCredential[]): Record<string, string> {
  return Object.fromEntries(issued.map(({ kind, value }) => [kind, value]));
}

export function issuedLines(issued: readonly IssuedCredential[]): string[] {
  return [
    "Shown once; keep them now:",
    ...table(issued.map(({ kind, value }) => [kind, value] as const)).map((line) => `  ${line}`),
  ];
}

export function shownLines(shown: readonly ShownCredential[]): string[] {
  return table(
    shown.map(({ kind, value, hint, endsAt }) => {
      const until = endsAt === null ? "" : ` (until ${endsAt.toISOString()})`;
      return [kind, `${value ?? `…${hint}`}${until}`] as const;
    }),
  );
}

export function endpointLine({ url, kinds, pausedAt, failingAt }: WebhookEndpoint): string {
  const states = [pausedAt === null ? null : "paused", failingAt === null ? null : "failing"].filter(
    (state) => state !== null,
  );
  return `${url}  ${kinds.join(", ")}${states.length > 0 ? `  (${states.join(", ")})` : ""}`;
}
