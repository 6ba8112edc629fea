import { readdirSync, readFileSync } from "node:fs";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from "kysely";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { englishWordsIn } from "../../../test/spanish-pages.ts";
import type { OrderId } from "../../contract/vocabulary/identifiers.ts";
import { systemClock } from "../../platform/clock.ts";
import { providerClocks } from "../../tenants/providers.ts";
import { ROOM_EXCEPTIONS } from "../exceptions/room-exceptions.ts";
import { ROOM_TIMELINES } from "../timeline/order-timeline.ts";
import { inSpanish } from "./sentences.ts";
import { EXCEPTION_WORDS, FACT_NAMES, RESOLUTION_WORDS, TIMELINE_WORDS } from "./words.ts";

describe("pages for operators are Spanish", () => {
  it("every fact of a timeline and of an exception has a Spanish name", () => {
    expect(factNames().filter((name) => !(name in FACT_NAMES))).toEqual([]);
    expect(factNames()).toContain("due_at");
  });

  it("every refusal and every result of an operation has a translation", () => {
    const sentences = operationSentences();
    expect(sentences.length).toBeGreaterThan(70);
    expect(sentences.filter((sentence) => inSpanish(sentence) === null)).toEqual([]);
  });

  it("values of a sentence stay, moments and roles become Spanish", () => {
    expect(inSpanish("$4.000 booked as lost.")).toBe("$4.000 quedan como pérdida.");
    expect(inSpanish("The role of camila is now finance.")).toBe("El rol de camila ahora es finanzas.");
    const charged = inSpanish(
      "The collection continues. The patient is notified before the charge on 2026-11-21T15:21:10.000Z.",
    );
    expect(charged).toContain("el 21 nov 2026, 12:21:10");
    expect(inSpanish("Nothing of this kind.")).toBeNull();
  });

  it.each([
    ["an English sentence", "<p>The charge failed.</p>", ["the", "charge", "failed"]],
    ["a name of ours", "<p>estado payment_failed</p>", ["payment", "failed"]],
    ["a sentence marked as English", '<span lang="en">It is done</span>', ["it", "is", "done"]],
    ["names in code, ids, notes and addresses", '<code>is</code><a class="hash">due</a><q>the</q> to@paid.cl', []],
    ["letters of an id", "<h1>Orden 3f2504e0-4be9-41d3-9a0c-be05e82c33is</h1>", []],
    ["Spanish", "<p>El cobro falló: no se sabe cómo terminó; de 3 quedan 2.</p>", []],
  ])("%s on a page is found or not: %s", (_of, page, found) => {
    expect(englishWordsIn(page)).toEqual(found);
  });

  it("no word list of the pages has an English word", () => {
    const texts = [EXCEPTION_WORDS, RESOLUTION_WORDS, TIMELINE_WORDS, FACT_NAMES].flatMap((words) =>
      Object.values(words).map((text) => (typeof text === "string" ? text : Object.values(text).join(" "))),
    );
    expect(texts.flatMap((text) => englishWordsIn(text.replaceAll(/`[^`]*`/g, "")))).toEqual([]);
  });
});

/** The names of facts in the statements of all rooms. */
function factNames(): string[] {
  const dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  const db = new Kysely<unknown>({ dialect });
  const order = { providerId: "", orderId: "6ad0e27b-19b2-4e5e-9d0e-0f7f3c0b7d11" as OrderId, clockOffsetMs: 0 };
  const clocks = providerClocks("production", systemClock.now());
  const statements = [
    ...ROOM_TIMELINES.flatMap((part) => [...part.happened(order), ...(part.waits?.(order) ?? [])]),
    ...ROOM_EXCEPTIONS.flatMap((part) => part.queries("production", clocks).map(({ rows }) => rows)),
  ];
  const names = statements.flatMap((statement) => {
    const built = statement.compile(db).sql.matchAll(/jsonb_build_object\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g);
    return [...built].flatMap(([, given = ""]) =>
      [...given.matchAll(/(?:^|,)\s*'([a-z_]+)'\s*,/g)].map(([, name = ""]) => name),
    );
  });
  return [...new Set(names)];
}

const ROOMS = new URL("../../", import.meta.url);
/** Sentences of the command line alone, and of documents. */
const ELSEWHERE =
  /\/cli\/|\/operators\/(?:add-operator|renew-token|operator)\.ts$|back-office\/operators\.ts$|\/console\/|\/partner-docs\/|\/contract\//;
const SPOKEN = /^(?:Resolution|Approval|Overlap|CollectionResolution)Refused$|^NoTermsAgreed$/;

/** Lists of such sentences. */
const LISTED = /^(?:REFUSALS|EXPLANATIONS)$/;

/** The sentences that operations refuse with or return, with `{}` for each value. */
function operationSentences(): string[] {
  const files = readdirSync(ROOMS, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !ELSEWHERE.test(`/${file}`),
  );
  const found: string[] = [];
  for (const file of files) {
    const text = readFileSync(new URL(file, ROOMS), "utf8");
    if (!/Refused\(|NoTermsAgreed\(|\boutcome: [`"]|REFUSALS|EXPLANATIONS/.test(text)) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isNewExpression(node) && SPOKEN.test(node.expression.getText())) keep(node.arguments?.[0], found);
      if (ts.isPropertyAssignment(node) && node.name.getText() === "outcome") keep(node.initializer, found);
      if (ts.isVariableDeclaration(node) && LISTED.test(node.name.getText()))
        node.initializer?.forEachChild((one) => ts.isPropertyAssignment(one) && keep(one.initializer, found));
      ts.forEachChild(node, visit);
    };
    visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true));
  }
  return [...new Set(found)];
}

function keep(node: ts.Node | undefined, found: string[]): void {
  if (node === undefined) return;
  if (ts.isStringLiteralLike(node) && / /.test(node.text)) found.push(node.text);
  if (ts.isTemplateExpression(node) && /[A-Za-z]{3}/.test(node.head.text + node.templateSpans[0]?.literal.text))
    found.push(node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join(""));
}
