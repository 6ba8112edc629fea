import { CENTERS_PER_CALL_MAX } from "../../contract/centers.ts";
import { BODY_LIMITS, type BodyLimits, PUBLIC_BODY_LIMITS } from "../../contract/endpoint.ts";
import { PHONE_LENGTH_MAX, REFERENCE_LENGTH_MAX } from "../../contract/orders.ts";
import * as terms from "../../contract/terms.ts";
import { ORDER_TOTAL_CLP_MAX } from "../../contract/vocabulary/clp.ts";
import { EMAIL_LENGTH_MAX } from "../../contract/vocabulary/email.ts";
import { NAME_LENGTH_MAX } from "../../contract/vocabulary/person-name.ts";
import type { WebhookEventKind } from "../../contract/webhook-events.ts";
import { ENDPOINTS_MAX } from "../../contract/webhooks.ts";
import { signatureHeaders } from "../../webhooks/signature.ts";
import { PACKAGES, tarballUrl } from "../packages.ts";
import { errorLists } from "./error-lists.ts";
import type { Value, Values } from "./fill.ts";
import { type GuideLanguage, guideWords } from "./guide-language.ts";
import {
  blocks,
  bullets,
  code,
  definitions,
  folded,
  inEnglish,
  line,
  link,
  listing,
  type Part,
  type Piece,
  tableRows,
} from "./part.ts";
import { schemaFields } from "./schema-fields.ts";
import { operationsOf, referencePath, type Site, type TestValues } from "./site.ts";
import { causesInSpanish, eventsInSpanish } from "./spanish-values.ts";

/** A secret that is used nowhere else: the base64 of 32 readable bytes. */
export const VECTOR_SECRET = `whsec_${Buffer.from("this is a test key of 32 bytes!!").toString("base64")}`;
/** Contains letters beyond ASCII, to expose a wrong encoding. */
export const VECTOR_BODY =
  '{"event_id":"0190c7a2-4d2e-7b1a-9c35-6f1f3a2b8d44","event":"order.paid","reference":"niñez-001"}';
const sentAt = new Date("2026-11-21T12:00:00Z");

/** The headers that the service would send with the test vector's body. */
export function vectorHeaders(signatureWord: string): Readonly<Record<string, string>> {
  return signatureHeaders({
    body: Buffer.from(VECTOR_BODY, "utf8"),
    webhookId: "0190c7a2-4d2e-7b1a-9c35-6f1f3a2b8d44",
    sentAt,
    secrets: [VECTOR_SECRET],
    word: signatureWord,
  });
}

/** Values available to the guide's pages besides `guideValues`: the business terms, by their constants. */
export const termValues: Values = Object.fromEntries(
  Object.entries(terms).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
);

/** Everything computed that pages of the guide name. Each is named by at least one of them. */
export function guideValues(site: Site, language: GuideLanguage): Values {
  return {
    ...limits,
    json_body: sizeOf(BODY_LIMITS, language),
    public_json_body: sizeOf(PUBLIC_BODY_LIMITS, language),
    ...deploymentValues(site),
    ...sampleValues(site),
    ...webhookValues(site, language),
    ...packageValues(site, language),
    ...errorLists(site.document, language),
    ...(site.testValues === null ? {} : testValueRows(site.testValues, language)),
    sandbox_calls: inEnglish(calls(site, /^\/sandbox/)),
  };
}

function sizeOf({ bytesMax, valuesMax }: BodyLimits, language: GuideLanguage): string {
  const { locale, values } = guideWords[language];
  return `${bytesMax / 1024} KiB, ${valuesMax.toLocaleString(locale)} ${values}`;
}

const limits: Values = {
  ORDER_TOTAL_CLP_MAX,
  REFERENCE_LENGTH_MAX,
  NAME_LENGTH_MAX,
  EMAIL_LENGTH_MAX,
  PHONE_LENGTH_MAX,
  ENDPOINTS_MAX,
  CENTERS_PER_CALL_MAX,
  standard_lifetime_hours: terms.STANDARD_LIFETIME_MINUTES / 60,
  charge_from: `${String(terms.CHARGE_FROM_HOUR).padStart(2, "0")}:00`,
  webhook_delays: terms.WEBHOOK_DELAYS_SECONDS.map((seconds) => seconds / 60).join(", "),
};

function deploymentValues({ deployment, testValues }: Site): Values {
  const { environment, orderApiUrl, spotApiUrl, widgetHostUrl, signatureWord } = deployment;
  return {
    environment,
    order_api: orderApiUrl,
    spot_api: spotApiUrl,
    widget_host: widgetHostUrl,
    signature_word: signatureWord,
    staging: environment === "staging",
    sandbox: testValues !== null,
    no_sandbox: testValues === null,
  };
}

/** The code samples by file, with this deployment's addresses and its word in the name of the signature header. */
function sampleValues({ deployment: { orderApiUrl, widgetHostUrl, signatureWord }, samples }: Site): Values {
  const addressed = (text: string) =>
    text
      .replaceAll("https://ORDER_API", orderApiUrl)
      .replaceAll("https://WIDGET_HOST", widgetHostUrl)
      .replaceAll("x-service-signature", `x-${signatureWord.toLowerCase()}-signature`);
  return Object.fromEntries(Object.entries(samples).map(([file, text]) => [file, addressed(text)]));
}

function webhookValues(site: Site, language: GuideLanguage): Values {
  const { document, deployment } = site;
  const words = guideWords[language];
  const [first] = Object.values(document.webhooks);
  const [example] = Object.values(first?.post?.requestBody?.content["application/json"]?.examples ?? {});
  const headers = Object.entries(vectorHeaders(deployment.signatureWord));
  return {
    event_rows: rows(
      Object.entries(document.webhooks).map(([kind, { post }]) => [
        code(kind),
        language === "es" && isEventKind(kind) ? eventsInSpanish[kind] : post?.summary,
      ]),
    ),
    webhook_body: inEnglish(
      blocks(
        schemaFields({ $ref: "#/components/schemas/WebhookEvent" }, document),
        folded(words.example, listing(JSON.stringify(example?.value, null, 2), "json", "Body of a webhook")),
      ),
    ),
    vector_bytes: Buffer.byteLength(VECTOR_BODY),
    vector: definitions("facts", [
      { term: line(words.secret), meaning: code(VECTOR_SECRET) },
      { term: line(words.body), meaning: code(VECTOR_BODY) },
      ...headers.map(([name, value]) => ({ term: code(name), meaning: code(value) })),
    ]),
    webhook_calls: inEnglish(calls(site, /^\/api\/(?:webhook_endpoints|events)/)),
  };
}

function isEventKind(kind: string): kind is WebhookEventKind {
  return Object.hasOwn(eventsInSpanish, kind);
}

function packageValues({ deployment: { widgetHostUrl }, packages }: Site, language: GuideLanguage): Values {
  const urlOf = (name: string) => tarballUrl(name, widgetHostUrl, packages);
  return {
    packages_version: packages.version,
    preview_packages: packages.isPreview,
    package_rows: rows(PACKAGES.map(({ name, use }) => [link(urlOf(name), code(name)), use[language]])),
    server_tarball: urlOf("@aapd/server"),
    embed_tarball: urlOf("@aapd/embed"),
    react_tarball: urlOf("@aapd/react"),
  };
}

function testValueRows(
  { cards, people, serials, addresses, phoneNumbers, bankAccounts }: TestValues,
  language: GuideLanguage,
): Values {
  const causesOf = (value: string, causes: string) => (language === "es" ? causesInSpanish[value] : null) ?? causes;
  return {
    test_card: cards[0]?.number ?? "",
    test_rut: people[0]?.rut ?? "",
    test_cards: rows(
      cards.map(({ number, brand, kind, causes }) => [
        code(grouped(number)),
        `${brand}, ${kind}`,
        causesOf(number, causes),
      ]),
    ),
    test_people: rows(people.map(({ rut, causes }) => [code(rut), causesOf(rut, causes)])),
    test_serials: rows(serials.map(({ serial, causes }) => [code(serial), causesOf(serial, causes)])),
    test_addresses: rows(addresses.map(({ email, causes }) => [code(email), causesOf(email, causes)])),
    test_phone_numbers: rows(phoneNumbers.map(({ number, causes }) => [code(number), causesOf(number, causes)])),
    test_bank_accounts: rows(bankAccounts.map(({ number, causes }) => [code(number), causesOf(number, causes)])),
  };
}

function rows(cells: readonly (readonly Piece[])[]): Value {
  return { markdown: tableRows(cells) };
}

/** `4051885600446623` → `4051 8856 0044 6623`; a card number may be pasted with or without the spaces. */
function grouped(number: string): string {
  return number.replaceAll(/(\d{4})(?=\d)/g, "$1 ");
}

function calls({ document }: Site, paths: RegExp): Part {
  const called = operationsOf(document).filter(({ path }) => paths.test(path));
  return bullets(
    called.map((one) => line(link(referencePath(one), code(`${one.method} ${one.path}`)), " ", one.operation.summary)),
    "codes",
  );
}
