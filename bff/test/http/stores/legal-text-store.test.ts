import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LegalTextKind } from "../../../src/contract/vocabulary/legal-text.ts";
import { selectNamedTexts } from "../../../src/orders/legal-text-store.ts";
import { listLegalTexts, presentTexts, setLegalText } from "../../../src/orders/legal-texts.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

/* The texts of an agreement are read by their names, in one environment. */

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

describe("the operator's texts", () => {
  const environment = "production" as const;
  const set = (kind: LegalTextKind, version: string, locale: "es-CL" | "en", title: string) => {
    bff.clock.advance(60_000);
    const text = `# ${title}\n\n${kind === "withdrawal" ? "{{support_email}}" : "{{clinic}} {{financing_provider}}"}`;
    const operator = { db: bff.database.db, clock: bff.clock, ids: systemIds, environment };
    return setLegalText(operator, { kind, version, locale, text });
  };
  const list = (of: "staging" | "production") => listLegalTexts(bff.database.db, of);

  it("belong to one environment; the newest Spanish version is shown, even if another is translated later", async () => {
    const { db } = bff.database;
    const staging = await list("staging");
    await set("privacy_notice", "a", "es-CL", "Aviso a");
    await set("privacy_notice", "muestra-1", "es-CL", "Aviso b");
    await set("privacy_notice", "a", "en", "Notice a");
    const shown = (await list(environment)).map(
      ({ version, locale, isPresent }) => `${version} ${locale}${isPresent ? " shown" : ""}`,
    );
    expect(shown).toEqual(["a en", "muestra-1 es-CL shown", "a es-CL"]);
    const named = (version: string, of: "staging" | "production", locale: "es-CL" | "en") =>
      selectNamedTexts(db, [{ kind: "privacy_notice", version }], { environment: of, locale });
    const titles = async (...asked: Parameters<typeof named>) =>
      (await named(...asked)).map(({ text }) => text.slice(2).split("\n")[0]);
    expect(await titles("a", environment, "en")).toEqual(["Notice a"]);
    expect(await titles("a", environment, "es-CL")).toEqual(["Aviso a"]);
    // There is no English text, so the Spanish one is shown.
    expect(await titles("muestra-1", environment, "en")).toEqual(["Aviso b"]);
    expect(await titles("muestra-1", environment, "es-CL")).toEqual(["Aviso b"]);
    expect(await titles("muestra-1", "staging", "es-CL")).not.toEqual(["Aviso b"]);
    expect(await titles("a", "staging", "es-CL")).toEqual([]);
    expect(await list("staging")).toEqual(staging);
    expect(staging.map(({ kind }) => kind)).toEqual(staging.map(({ kind }) => kind).toSorted());
    for (const kind of ["contract", "privacy_notice", "summary_sheet"])
      expect(staging.filter((text) => text.kind === kind && text.isPresent).map(({ version }) => version)).toContain(
        (await presentTexts(db, "staging")).find((text) => text.kind === kind)?.version,
      );
  });
});
