import type { AmountQuote } from "bff/contract/quote";
import { clp } from "bff/contract/vocabulary/clp";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { en } from "../src/words/en.ts";
import { esClFirst } from "../src/words/es-cl-first.ts";
import { formatPesos } from "../src/words/format.ts";
import { messageOf } from "./message-element.ts";

const quoteOf = (changes: Partial<AmountQuote> = {}): AmountQuote => ({
  total: clp(45_952),
  today: clp(13_786),
  later: clp(32_166),
  commission: clp(3_217),
  commission_percentage: 7,
  commission_regime: "taxed_service",
  later_charge: clp(35_383),
  total_cost: clp(49_169),
  annual_cost_percentage: 81.11,
  latest_due_date: "2027-01-05",
  financing_provider: "Financiera de Prueba SpA",
  triggers: { approval: true, access_blocked_days: 3, latest_day: 45 },
  ...changes,
});

describe("price message", () => {
  it("names both payments, the total cost, the CAE and the lender", () => {
    expect(messageOf(quoteOf(), "es-CL")).toEqual([
      "Hoy $13.786, el segundo cobro cuando tu isapre responda.",
      "Segundo cobro $35.383, a más tardar el 5 de enero de 2027. Costo total $49.169. CAE 81,11%. Lo financia Financiera de Prueba SpA.",
    ]);
    expect(messageOf(quoteOf(), "en")[0]).toBe("$13.786 today, the rest when your isapre answers.");
  });

  it("formats pesos, day and percentage as the checkout does, for 10,000 amounts", () => {
    for (let index = 0; index < 10_000; index += 1) {
      const amount = clp(((index + 1) * 99_991) % 1_000_000_000);
      const day = new Date(Date.UTC(2026, 0, 1 + (index % 730))).toISOString().slice(0, 10);
      const annual = (index % 20_000) / 100;
      const quote = quoteOf({
        today: amount,
        later_charge: amount,
        total_cost: amount,
        latest_due_date: day,
        annual_cost_percentage: annual,
      });
      for (const [locale, words] of [
        ["es-CL", esClFirst],
        ["en", en],
      ] as const) {
        const text = messageOf(quote, locale).join(" ");
        expect(text.split(`${formatPesos(amount)}`)).toHaveLength(4);
        // The checkout keeps a date on one line. A page with prices need not.
        expect(text).toContain(words.date(day).replaceAll("\u00a0", " "));
        expect(text).toContain(`CAE${locale === "en" ? ")" : ""} ${words.percentage(annual)}`);
      }
    }
  });
});

describe("<aapd-message>", () => {
  const answers: (() => Promise<Response>)[] = [];
  const asked = vi.fn(
    (_url: URL, _options?: RequestInit) => answers.shift()?.() ?? Promise.reject(new Error("offline")),
  );
  beforeEach(() => {
    vi.stubGlobal("fetch", asked);
    asked.mockClear();
    answers.length = 0;
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    document.body.replaceChildren();
  });
  const quoted = (quote: AmountQuote) => async () => new Response(JSON.stringify(quote));
  const refused = async () => new Response('{"code":"amount_too_small"}', { status: 400 });
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  function show(attributes: Record<string, string>): HTMLElement {
    const element = document.createElement("aapd-message");
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    document.body.append(element);
    return element;
  }
  const GIVEN = { amount: "45952", "public-key": "PK_demo", api: "https://backend.example" };

  it("requests the quote of its amount without credentials, and shows it", async () => {
    answers.push(quoted(quoteOf()));
    const element = show(GIVEN);
    await settled();
    const [[url, options] = []] = asked.mock.calls;
    expect(String(url)).toBe("https://backend.example/api/quote?public_key=PK_demo&amount=45952");
    expect(options).toEqual({ credentials: "omit" });
    expect(element.shadowRoot?.textContent).toContain("Hoy $13.786");
    expect(element.shadowRoot?.adoptedStyleSheets[0]?.cssRules).toHaveLength(4);
    expect(element.hidden).toBe(false);
  });

  it("requests it once if attributes are set one after the other, and only in a document", async () => {
    const element = document.createElement("aapd-message");
    element.setAttribute("api", GIVEN.api);
    await settled();
    expect(asked).not.toHaveBeenCalled();
    document.body.append(element);
    for (const [name, value] of Object.entries(GIVEN)) element.setAttribute(name, value);
    await settled();
    expect(asked).toHaveBeenCalledOnce();
  });

  it("shows nothing for an amount that cannot be paid this way, and throws no error", async () => {
    const failed = vi.fn();
    process.on("unhandledRejection", failed);
    answers.push(refused);
    show(GIVEN);
    await settled();
    process.off("unhandledRejection", failed);
    expect(failed).not.toHaveBeenCalled();
  });

  it("is defined once, also on a page that loads its script twice", async () => {
    vi.resetModules();
    await expect(import("./message-element.ts")).resolves.toHaveProperty("messageOf");
  });

  it.each([
    ["an amount that cannot be paid so", refused],
    ["a service that does not answer", () => Promise.reject(new Error("offline"))],
  ])("hides itself for %s, and is shown again for another amount", async (_what, answer) => {
    answers.push(answer, quoted(quoteOf()));
    const element = show(GIVEN);
    await settled();
    expect([element.hidden, element.shadowRoot?.textContent ?? ""]).toEqual([true, ""]);
    element.setAttribute("amount", "50000");
    await settled();
    expect(element.hidden).toBe(false);
  });

  it("hides itself without an api attribute", async () => {
    const element = show({ amount: "45952" });
    await settled();
    expect([element.hidden, asked.mock.calls.length]).toEqual([true, 0]);
  });

  it("shows the newest amount, whichever answer comes last", async () => {
    let answerFirst: (response: Response) => void = () => undefined;
    answers.push(() => new Promise((resolve) => (answerFirst = resolve)), quoted(quoteOf({ today: clp(15_000) })));
    const element = show(GIVEN);
    await settled();
    element.setAttribute("amount", "50000");
    await settled();
    answerFirst(new Response(JSON.stringify(quoteOf())));
    await settled();
    expect(element.shadowRoot?.textContent).toContain("Hoy $15.000");
  });
});
