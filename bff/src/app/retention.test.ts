import { expect, it } from "vitest";
import { migratedTables } from "../../test/migrated-tables.ts";
import { writeRetention } from "../../test/retention-document.ts";
import { SAMPLE_TEXTS } from "../../test/sample-texts.ts";
import { RECOGNITIONS_KEPT_MS, RECOVERIES_KEPT_MS, TOKEN_DATA_KEPT_MS } from "../checkout/work.ts";
import { DELIVERIES_KEPT_DAYS, RIGHTS_ANSWER_DAYS } from "../contract/terms.ts";
import { DAY_MS, HOUR_MS } from "../contract/vocabulary/durations.ts";
import { UNDELIVERED_KEPT_MS } from "../notifications/work.ts";
import { CHECKS_KEPT_MS } from "../orders/work.ts";
import { LINK_CODES_KEPT_MS } from "../self-service/work.ts";
import { PURGES } from "./purge-outdated.ts";
import { RETENTION } from "./retention.ts";

it("the retention document lists how long each table keeps its rows, except the sandbox's", () => {
  const stored = migratedTables().tables.filter((table) => !table.startsWith("sandbox_"));
  expect(Object.keys(RETENTION).toSorted()).toEqual([...new Set(stored)].toSorted());
});

it("the retention document lists exactly the running purges", () => {
  const named = Object.values(RETENTION).flatMap((retention) => {
    if (retention.kept === "purged") return retention.purges.map(({ by }) => by);
    return retention.but === undefined ? [] : [retention.but.by];
  });
  expect(new Set(named)).toEqual(new Set(PURGES));
});

it("the retention document states the times that the code uses", async () => {
  await expect(writeRetention()).toMatchFileSnapshot("../../docs/reference/retention.md");
});

/** The sample privacy notice of a language. */
function samplePrivacyNotice(locale: string): string {
  return SAMPLE_TEXTS.find((text) => text.kind === "privacy_notice" && text.locale === locale)?.text ?? "";
}

const hours = (ms: number) => ms / HOUR_MS;
const days = (ms: number) => ms / DAY_MS;

it.each([
  [
    "es-CL",
    [
      `La verificación de tu cédula: ${hours(CHECKS_KEPT_MS)} horas`,
      `Los códigos que te enviamos: ${days(LINK_CODES_KEPT_MS)} días`,
      `no pudo entregarse: ${days(UNDELIVERED_KEPT_MS)} días`,
      `para llenar el formulario: ${hours(TOKEN_DATA_KEPT_MS)} horas`,
      `Los avisos a tu clínica: ${DELIVERIES_KEPT_DAYS} días`,
      `Respondemos en ${RIGHTS_ANSWER_DAYS} días`,
    ],
  ],
  [
    "en",
    [
      `The check of your identity card: ${hours(CHECKS_KEPT_MS)} hours`,
      `The codes that we send you: ${days(LINK_CODES_KEPT_MS)} days`,
      `could not be delivered: ${days(UNDELIVERED_KEPT_MS)} days`,
      `filled in for you beforehand: ${hours(TOKEN_DATA_KEPT_MS)} hours`,
      `Notifications to your clinic: ${DELIVERIES_KEPT_DAYS} days`,
      `We answer within ${RIGHTS_ANSWER_DAYS} days`,
    ],
  ],
] as const)(
  "the sample privacy notice (%s) names only the times after which the service removes data",
  (locale, terms) => {
    const notice = samplePrivacyNotice(locale);
    for (const term of terms) expect(notice).toContain(term);
    expect(notice.match(/\d+ (horas|días|hours|days)/g)).toHaveLength(terms.length);
    // One sentence about codes covers every table of codes.
    expect([RECOVERIES_KEPT_MS, RECOGNITIONS_KEPT_MS]).toEqual([LINK_CODES_KEPT_MS, LINK_CODES_KEPT_MS]);
  },
);
