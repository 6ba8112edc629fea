import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CallbackListener, listenForCallbacks } from "../../../connectors/kit/callback-listener.ts";
import { CHECKED_PARTIES, type CheckedParty, checkConnector } from "../../../connectors/kit/check/check-connector.ts";
import { type ConnectorReport, reportJson, reportLines } from "../../../connectors/kit/check/finding.ts";
import { type TestCard, testValuesSchema } from "../../../connectors/kit/check/test-values.ts";
import { createProbe } from "../../../connectors/kit/probe.ts";
import { CATALOGUE_ACCOUNTS, CATALOGUE_CARDS, CATALOGUE_SERIALS } from "../../../sandbox/catalogue.ts";
import { DAY_MS } from "../../../src/contract/vocabulary/durations.ts";
import { type CallbackToSign, signCallback } from "../../../src/gateways/connector/callback-signature.ts";
import { INSURER_CALLBACK_PATH } from "../../../src/gateways/insurer-callbacks.ts";
import { bankProtocol } from "../../../src/gateways/protocols/bank.ts";
import { cardProcessorProtocol } from "../../../src/gateways/protocols/card-processor.ts";
import { financingProviderProtocol } from "../../../src/gateways/protocols/financing-provider.ts";
import { insurerProtocol } from "../../../src/gateways/protocols/insurer.ts";
import { taxDocumentsProtocol } from "../../../src/gateways/protocols/tax-documents.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import {
  type Answer,
  type Exchange,
  type Fault,
  type FaultyConnector,
  startFaultyConnector,
} from "./faulty-connector.ts";
import { type StartedGateways, startGateways } from "./start-gateways.ts";

/*
 * A connector's author relies on this check before real cards are charged. It must find nothing in a correct connector,
 * and name the fault of each incorrect one.
 */
let gateways: StartedGateways;
let good: string;
beforeAll(async () => {
  gateways = await startGateways();
  good = `${gateways.origin}/connector/v1`;
});
afterAll(() => gateways.stop());

interface Options {
  readonly parties?: readonly CheckedParty[];
  readonly deadlineMs?: number;
  readonly callbacks?: CallbackListener;
  readonly returnWaitMs?: number;
}

async function check(url: string, options: Options = {}): Promise<ConnectorReport> {
  const { parties = CHECKED_PARTIES, deadlineMs = 30_000, callbacks = null, returnWaitMs = 30 * DAY_MS } = options;
  const probe = createProbe({ baseUrl: url, deadlineMs, answerBytesMax: 1024 * 1024 });
  const { clock, token } = gateways;
  // Only a clock that moves sees the sandbox's transfers come back.
  const values = testValuesSchema.parse({ returned_account_number: "1000000006" });
  const dependencies = { probe, token, clock, ids: systemIds, values, giveCard };
  try {
    // Time passes at once, without real waiting.
    return await checkConnector(
      { ...dependencies, wait: async (milliseconds) => clock.advance(milliseconds), returnWaitMs },
      { url, parties, callbacks, callbackWaitMs: 0 },
    );
  } finally {
    await probe.close();
  }
}

/** Does the person's part: enters a card on the page. */
async function giveCard(page: string, card: TestCard): Promise<void> {
  const expiry = `${card.exp_month}/${card.exp_year}`;
  const { number, cvc, holder_name } = card;
  const body = new URLSearchParams({ choice: "register", number, cvc, holder_name, expiry });
  expect((await fetch(page, { method: "POST", body })).status).toBe(200);
}

async function checkAndClose(connector: FaultyConnector, options: Options): Promise<ConnectorReport> {
  try {
    return await check(connector.url, options);
  } finally {
    await connector.close();
  }
}

/** The operations of these parties that take effect once and can be inquired about. */
const KEYED_PATHS = [
  bankProtocol,
  cardProcessorProtocol,
  financingProviderProtocol,
  insurerProtocol,
  taxDocumentsProtocol,
]
  .flatMap((protocol) => Object.values(protocol))
  .flatMap((operation) => ("outcome" in operation && operation.isInquired !== false ? [operation.path] : []));

const failedIn = ({ findings }: ConnectorReport) =>
  findings.filter(({ result }) => result === "failed").map(({ operation, check: name }) => `${operation} ${name}`);

describe("the reference connector", () => {
  it("passes every check of every party, except callbacks, since it sends none", async () => {
    const report = await check(good);
    expect(report.findings.filter(({ result }) => result === "failed")).toEqual([]);
    expect(report.verdict).toBe("conforms");
    expect(report.findings.filter(({ result }) => result === "not_checked").map(({ operation }) => operation)).toEqual([
      INSURER_CALLBACK_PATH,
    ]);
    expect(report.passed).toBeGreaterThan(150);
    const repeated = report.findings.filter(({ check: name }) => name === "repeated-key");
    expect(repeated.map(({ operation }) => operation)).toEqual(expect.arrayContaining(KEYED_PATHS));
  });

  it("keeps a return pending within the limit, and reports the announced end", async () => {
    const report = await check(good, { parties: ["card-processor"], returnWaitMs: 60_000 });
    expect(report.verdict).toBe("conforms");
    const notChecked = report.findings.filter(({ result }) => result === "not_checked");
    expect(notChecked).toMatchObject([{ check: "pending-return-ends", came: expect.stringContaining("it ends by ") }]);
  });

  it("conforms without vouchers and card removals, as a connector of the first version does", async () => {
    const VOUCHER = [
      "removesCards",
      "buyOrder",
      "storeCode",
      "authorisationCode",
      "instalments",
      "networkTransactionId",
    ];
    const bare = (body: object) => Object.fromEntries(Object.entries(body).filter(([name]) => !VOUCHER.includes(name)));
    const connector = await startFaultyConnector(good, async ({ path, forward }) => {
      const answer = await forward();
      if (!path.startsWith("/card-processor/")) return answer;
      if (path.startsWith("/card-processor/remove-card")) return { status: 404, body: {} };
      const { items } = answer.body;
      return { ...answer, body: { ...bare(answer.body), ...(Array.isArray(items) && { items: items.map(bare) }) } };
    });
    const report = await checkAndClose(connector, { parties: ["card-processor"] });
    expect(failedIn(report)).toEqual([]);
    expect(report.verdict).toBe("conforms");
  });

  it("is checked with the sandbox's own values", () => {
    const values = testValuesSchema.parse({});
    const behaviourOf = (number: string | undefined) =>
      CATALOGUE_CARDS.find((card) => card.number === number)?.behaviour;
    expect(behaviourOf(values.card.number)).toBe("approved");
    expect(behaviourOf(values.declined_card?.number)).toBe("declined");
    expect(behaviourOf(values.challenge_card?.number)).toBe("challenge");
    expect(behaviourOf(values.pending_return_card?.number)).toBe("return_pending");
    expect(CATALOGUE_SERIALS.map(({ serial }) => serial)).toContain(values.wrong_serial);
    expect(CATALOGUE_ACCOUNTS.map(({ number }) => number)).toContain(values.refused_account_number);
  });
});

/** State that the fault keeps between requests. */
const seen = () => new Map<string, number>();
const timesOf = (known: Map<string, number>, name: string) => {
  const times = (known.get(name) ?? 0) + 1;
  known.set(name, times);
  return times;
};
const at =
  (path: string, fault: Fault): Fault =>
  async (exchange) =>
    exchange.path === path ? fault(exchange) : undefined;
/** Answers about returns, both to calls and to inquiries. */
const ofReturns =
  (fault: Fault): Fault =>
  async (exchange) =>
    exchange.path.startsWith("/card-processor/return") ? fault(exchange) : undefined;
const under = (key: string) => ({ headers: { "idempotency-key": key } });
const answerWith = (body: Answer["body"]): Answer => ({ status: 200, body });
const changing =
  (change: (body: Answer["body"], exchange: Exchange) => Answer["body"]): Fault =>
  async (exchange) => {
    const answer = await exchange.forward();
    return answer.status === 200 ? { ...answer, body: change(answer.body, exchange) } : answer;
  };

interface Planted {
  readonly fault: string;
  readonly party: CheckedParty;
  /** Created again for each run. */
  readonly make: () => Fault;
  readonly found: readonly string[];
}

const PLANTED: readonly Planted[] = [
  {
    fault: "opens another page for a repeated key",
    party: "card-processor",
    make() {
      const known = seen();
      return at("/card-processor/register-card", async (exchange) =>
        exchange.body.input?.sealedCard === null && timesOf(known, exchange.key) > 1
          ? exchange.forward(under(randomUUID()))
          : undefined,
      );
    },
    found: [
      "/card-processor/register-card repeated-key",
      "/card-processor/register-card key-with-another-input",
      "/card-processor/register-card same-key-at-once",
      "/card-processor/register-card key-kept",
    ],
  },
  {
    fault: "says of a page that is open that it knows no such call",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/register-card/inquiry",
        changing((body) => (body.outcome === "page" ? { outcome: "not_found" } : body)),
      ),
    found: ["/card-processor/register-card/inquiry known-key"],
  },
  {
    fault: "tells another card each time that it is asked about one page",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/register-card/inquiry",
        changing((body) =>
          body.outcome === "registered" ? { ...body, card: { ...(body.card as object), id: randomUUID() } } : body,
        ),
      ),
    found: ["/card-processor/register-card card-given-on-page"],
  },
  {
    fault: "opens its pages at several origins",
    party: "card-processor",
    make: () =>
      changing((body, { key }) =>
        body.outcome === "page" ? { ...body, url: `https://${key.slice(0, 8)}.example/card` } : body,
      ),
    found: ["/card-processor/register-card one-origin"],
  },
  {
    fault: "charges twice for a repeated key, and answers as it did first",
    party: "card-processor",
    make() {
      const known = seen();
      return at("/card-processor/charge", async (exchange) => {
        const first = await exchange.forward();
        if (first.status === 200 && timesOf(known, exchange.key) > 1) await exchange.forward(under(randomUUID()));
        return first;
      });
    },
    found: ["/card-processor/movements nothing-else"],
  },
  {
    fault: "forgets the key: a repeat is a charge of its own",
    party: "card-processor",
    make() {
      const known = seen();
      return at("/card-processor/charge", async (exchange) =>
        timesOf(known, exchange.key) > 1 ? exchange.forward(under(randomUUID())) : undefined,
      );
    },
    found: [
      "/card-processor/charge repeated-key",
      "/card-processor/charge key-with-another-input",
      "/card-processor/charge same-key-at-once",
      "/card-processor/charge key-kept",
      "/card-processor/movements nothing-else",
    ],
  },
  {
    fault: "knows no call when it is inquired about",
    party: "bank",
    make: () => at("/bank/transfer/inquiry", async () => answerWith({ outcome: "not_found" })),
    found: ["/bank/transfer/inquiry known-key", "/bank/transfer not-found-binds", "/bank/transfer key-kept"],
  },
  {
    fault: "answers 200 with an outcome that the table does not have",
    party: "bank",
    make: () =>
      at(
        "/bank/transfer",
        changing(() => ({ outcome: "pending" })),
      ),
    found: ["/bank/transfer good-call"],
  },
  {
    fault: "accepts a wrong token",
    party: "bank",
    make: () => async (exchange) => exchange.forward({ headers: { authorization: `Bearer ${gateways.token}` } }),
    found: [
      "/bank/transfer wrong-token",
      "/bank/transfer/inquiry wrong-token",
      "/bank/transfers nothing-else",
      "/bank/transfers wrong-token",
    ],
  },
  {
    fault: "compares the token with its beginning only",
    party: "identity-registry",
    make: () => async (exchange) => {
      const given = exchange.headers.authorization ?? "";
      return given.startsWith(`Bearer ${gateways.token.slice(0, -1)}`)
        ? exchange.forward({ headers: { authorization: `Bearer ${gateways.token}` } })
        : undefined;
    },
    found: ["/identity-registry/check wrong-token"],
  },
  {
    fault: "says what it was sent in its errors, a card's number in it",
    party: "card-processor",
    make: () => async (exchange) => {
      const answer = await exchange.forward();
      return answer.status >= 400 ? { ...answer, body: { ...answer.body, received: exchange.text } } : answer;
    },
    found: ["/card-processor/register-card no-secrets", "/card-processor/charge no-secrets"],
  },
  {
    fault: "answers an amount as a string",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge",
        changing((body) => ("amount" in body ? { ...body, amount: String(body.amount) } : body)),
      ),
    found: ["/card-processor/charge good-call"],
  },
  {
    fault: "takes an amount that is a string",
    party: "bank",
    make: () =>
      at("/bank/transfer", async ({ body, forward }) =>
        typeof body.input?.amount === "string"
          ? forward({ body: { ...body, input: { ...body.input, amount: Number(body.input.amount) } } })
          : undefined,
      ),
    found: ["/bank/transfer malformed-bodies", "/bank/transfers nothing-else"],
  },
  {
    fault: "lists late: the newest charge is not there yet",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/movements",
        changing((body) => ({ ...body, items: body.items.slice(0, -1) })),
      ),
    found: ["/card-processor/movements has-everything"],
  },
  {
    fault: "lists every provider's transfers to each",
    party: "bank",
    make() {
      let first = "";
      return async ({ path, body, forward }) => {
        first ||= String(body.provider_id ?? "");
        return path === "/bank/transfers" ? forward({ body: { ...body, provider_id: first } }) : undefined;
      };
    },
    found: ["/bank/transfers own-items-only"],
  },
  {
    fault: "lists whatever range is asked for",
    party: "tax-documents",
    make: () =>
      at("/tax-documents/documents", async ({ body, forward }) =>
        forward({ body: { ...body, from: "2020-01-01T00:00:00Z", to: "2040-01-01T00:00:00Z" } }),
      ),
    found: ["/tax-documents/documents asked-range-only"],
  },
  {
    fault: "answers a key that comes with another input as it answered before",
    party: "bank",
    make() {
      const known = new Map<string, Answer>();
      return at("/bank/transfer", async (exchange) => {
        const answer = await exchange.forward();
        if (answer.status === 200) known.set(exchange.key, answer);
        return answer.status === 0 ? (known.get(exchange.key) ?? answer) : answer;
      });
    },
    found: ["/bank/transfer key-with-another-input"],
  },
  {
    fault: "makes a late call that it said not_found about",
    party: "bank",
    make: () =>
      at("/bank/transfer", async ({ body, forward }) => {
        const moment = Date.parse(String(body.at));
        return moment < gateways.clock.now().getTime() - 30_000
          ? forward({ body: { ...body, at: new Date(moment + 120_000).toISOString() } })
          : undefined;
      }),
    found: ["/bank/transfer not-found-binds"],
  },
  {
    fault: "answers with a redirect",
    party: "identity-registry",
    make: () =>
      at("/identity-registry/check", async () => ({ status: 302, body: {}, headers: { location: "/elsewhere" } })),
    found: ["/identity-registry/check good-read", "/identity-registry/check wrong-serial"],
  },
  {
    fault: "answers 201",
    party: "bank",
    make: () =>
      at("/bank/transfer", async (exchange) => {
        const answer = await exchange.forward();
        return answer.status === 200 ? { ...answer, status: 201 } : answer;
      }),
    found: ["/bank/transfer good-call"],
  },
  {
    fault: "breaks down over a body that it cannot read",
    party: "bank",
    make: () => async (exchange) => {
      const answer = await exchange.forward();
      return answer.status === 400 || answer.status === 422 ? { status: 500, body: {} } : answer;
    },
    found: ["/bank/transfer malformed-bodies"],
  },
  {
    fault: "captures another amount than it was asked for",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge",
        changing((body) => ("amount" in body ? { ...body, amount: body.amount + 1 } : body)),
      ),
    found: ["/card-processor/charge good-call", "/card-processor/movements has-everything"],
  },
  {
    fault: "declines for a limit that the table does not have",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge",
        changing((body) => (body.outcome === "declined" ? { ...body, limit: "weight" } : body)),
      ),
    found: ["/card-processor/charge declined-card"],
  },
  {
    fault: "never ends a return that it has taken",
    party: "card-processor",
    make() {
      const known = new Map<string, Answer["body"]>();
      return ofReturns(async ({ key, forward }) => {
        const answer = await forward();
        if (answer.body.outcome === "pending") known.set(key, answer.body);
        const taken = known.get(key);
        return taken === undefined ? answer : { ...answer, body: taken };
      });
    },
    found: ["/card-processor/return pending-return-ends"],
  },
  {
    fault: "moves the end of a pending return each time that it is asked",
    party: "card-processor",
    make() {
      let asked = 0;
      const later = (endsBy: unknown) => {
        asked += 1;
        return new Date(Date.parse(String(endsBy)) + asked * 60_000).toISOString();
      };
      return ofReturns(
        changing((body) => (body.outcome === "pending" ? { ...body, endsBy: later(body.endsBy) } : body)),
      );
    },
    found: ["/card-processor/return pending-return-stays"],
  },
  {
    fault: "tells a pending return under another id each time",
    party: "card-processor",
    make: () =>
      ofReturns(changing((body) => (body.outcome === "pending" ? { ...body, returnId: randomUUID() } : body))),
    found: ["/card-processor/return pending-return-stays", "/card-processor/return pending-return-ends"],
  },
  {
    fault: "returns under another id than it had answerWith",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/return/inquiry",
        changing((body) => (body.outcome === "returned" ? { ...body, returnId: randomUUID() } : body)),
      ),
    found: ["/card-processor/return/inquiry known-key", "/card-processor/return pending-return-ends"],
  },
  {
    fault: "forgets a return that it has taken",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/return/inquiry",
        changing((body) => (body.outcome === "pending" ? { outcome: "not_found" } : body)),
      ),
    found: ["/card-processor/return pending-return-stays"],
  },
  {
    fault: "takes a return again for a repeated key",
    party: "card-processor",
    make() {
      const known = seen();
      return at("/card-processor/return", async ({ key, forward }) =>
        timesOf(known, key) > 1 ? forward(under(randomUUID())) : undefined,
      );
    },
    found: ["/card-processor/return repeated-key", "/card-processor/return pending-return-stays"],
  },
  {
    fault: "says that a return may take a year",
    party: "card-processor",
    make: () =>
      ofReturns(changing((body) => (body.outcome === "pending" ? { ...body, endsBy: "2029-11-21T15:00:00Z" } : body))),
    found: ["/card-processor/return pending-return"],
  },
  {
    fault: "lists a return that is pending",
    party: "card-processor",
    make() {
      const taken: object[] = [];
      return async (exchange) => {
        const { path, key, body, forward } = exchange;
        const answer = await forward();
        const { chargeId, orderHash, amount } = body.input ?? {};
        if (path === "/card-processor/return" && answer.body.outcome === "pending")
          taken.push({
            id: answer.body.returnId,
            kind: "return",
            chargeId,
            idempotencyKey: key,
            orderHash,
            amount,
            at: body.at,
          });
        const { items } = answer.body;
        return path === "/card-processor/movements" && items !== undefined
          ? { ...answer, body: { ...answer.body, items: [...items, ...taken] } }
          : answer;
      };
    },
    found: ["/card-processor/movements pending-return-not-listed"],
  },
  {
    fault: "refuses a return for a reason that the table does not have",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/return",
        changing((body) => (body.outcome === "refused" ? { ...body, reason: "because" } : body)),
      ),
    found: ["/card-processor/return more-than-was-captured"],
  },
  {
    fault: "tells another authorisation code each time that it is asked about a charge",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge/inquiry",
        changing((body) => (body.outcome === "captured" ? { ...body, authorisationCode: "000000" } : body)),
      ),
    found: ["/card-processor/charge/inquiry known-key"],
  },
  {
    fault: "tells another voucher of a return each time that it is asked about it",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/return/inquiry",
        changing((body) => (body.outcome === "returned" ? { ...body, buyOrder: "another" } : body)),
      ),
    found: ["/card-processor/return/inquiry known-key"],
  },
  ...(["buyOrder", "storeCode", "authorisationCode"] as const).flatMap((field) =>
    (["charge", "return"] as const).map(
      (kind): Planted => ({
        fault: `lists another ${field} of a ${kind} than the call`,
        party: "card-processor",
        make: () =>
          at(
            "/card-processor/movements",
            changing((body) => ({
              ...body,
              items: body.items.map((item: Answer["body"]) =>
                item.kind === kind ? { ...item, [field]: "another" } : item,
              ),
            })),
          ),
        found: ["/card-processor/movements told-as-by-the-call"],
      }),
    ),
  ),
  {
    fault: "has the patient pay in three instalments",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge",
        changing((body) => (body.outcome === "captured" ? { ...body, instalments: 3 } : body)),
      ),
    found: ["/card-processor/charge no-instalments"],
  },
  {
    fault: "gives an authorisation code that is as long as a card's number",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge",
        changing((body) => (body.outcome === "captured" ? { ...body, authorisationCode: "1234567890123" } : body)),
      ),
    found: ["/card-processor/charge good-call"],
  },
  {
    fault: "names its buy orders by the card's number",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge",
        changing((body) =>
          body.outcome === "captured" ? { ...body, buyOrder: `O-${testValuesSchema.parse({}).card.number}` } : body,
        ),
      ),
    found: ["/card-processor/charge no-secrets"],
  },
  {
    fault: "refuses the network's name of the first charge, which it answerWith itself",
    party: "card-processor",
    make: () =>
      at("/card-processor/charge", async ({ body }) =>
        body.input?.initialNetworkTransactionId === undefined ? undefined : { status: 422, body: {} },
      ),
    found: ["/card-processor/charge charge-under-the-mandate"],
  },
  {
    fault: "names an authentication otherwise each time",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/authenticate",
        changing((body) => (body.outcome === "not_needed" ? { ...body, networkTransactionId: randomUUID() } : body)),
      ),
    found: ["/card-processor/authenticate repeated-key"],
  },
  {
    fault: "gives back more than was captured",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/return",
        changing((body, { body: asked }) =>
          body.outcome === "refused"
            ? { outcome: "returned", returnId: randomUUID(), amount: asked.input.amount }
            : body,
        ),
      ),
    found: [
      "/card-processor/return more-than-was-captured",
      "/card-processor/return unknown-charge",
      "/card-processor/return charge-of-another-order",
      "/card-processor/return charge-of-another-provider",
    ],
  },
  {
    fault: "charges a card that it does not know",
    party: "card-processor",
    make: () =>
      at(
        "/card-processor/charge",
        changing((body, { body: asked }) =>
          body.outcome === "declined"
            ? { outcome: "captured", chargeId: randomUUID(), amount: asked.input.amount }
            : body,
        ),
      ),
    found: [
      "/card-processor/charge unanswered-challenge",
      "/card-processor/charge unknown-card",
      "/card-processor/charge card-of-another-provider",
      "/card-processor/charge number-instead-of-a-card",
      "/card-processor/charge declined-card",
    ],
  },
  {
    fault: "opens a card that was sealed for another order, or long ago",
    party: "card-processor",
    make() {
      let last: Answer | null = null;
      return at("/card-processor/register-card", async ({ forward }) => {
        const answer = await forward();
        if (answer.body.outcome === "registered") last = answer;
        return answer.body.outcome === "sealed_card_refused" ? last : answer;
      });
    },
    found: [
      "/card-processor/register-card sealed-for-another-order",
      "/card-processor/register-card sealed-too-long-ago",
      "/card-processor/register-card sealed-in-the-future",
      "/card-processor/register-card sealed-for-an-unknown-key",
      "/card-processor/register-card changed-after-sealing",
    ],
  },
  {
    fault: "uses a kept card for another customer",
    party: "card-processor",
    make() {
      let owner = "";
      return async ({ path, body, forward }) => {
        if (path === "/card-processor/keep-card") owner ||= String(body.input?.customer ?? "");
        if (path !== "/card-processor/register-stored-card" || typeof body.input?.customer !== "string")
          return undefined;
        return forward({ body: { ...body, input: { ...body.input, customer: owner } } });
      };
    },
    found: ["/card-processor/register-stored-card card-of-another-customer"],
  },
  {
    fault: "says that it has forgotten a card, and has not",
    party: "card-processor",
    make: () =>
      at("/card-processor/forget-card", async ({ body, forward }) => {
        if (typeof body.input?.storedCardId !== "string") return undefined;
        return forward({ body: { ...body, input: { ...body.input, customer: "nobody" } } });
      }),
    found: ["/card-processor/kept-cards forgotten-card-is-gone", "/card-processor/register-stored-card forgotten-card"],
  },
  {
    fault: "says that it has removed a card, and has not",
    party: "card-processor",
    make: () =>
      at("/card-processor/remove-card", async ({ body, forward }) =>
        typeof body.input?.cardId === "string"
          ? forward({ body: { ...body, input: { ...body.input, cardId: "another" } } })
          : undefined,
      ),
    found: ["/card-processor/charge removed-card"],
  },
  {
    fault: "removes another order's card",
    party: "card-processor",
    make() {
      const orders = new Map<string, string>();
      return async ({ path, body, forward }) => {
        if (path === "/card-processor/charge") orders.set(String(body.input?.cardId), String(body.input?.orderHash));
        const orderHash = orders.get(String(body.input?.cardId));
        if (path !== "/card-processor/remove-card" || orderHash === undefined) return undefined;
        return forward({ body: { ...body, input: { ...body.input, orderHash } } });
      };
    },
    found: ["/card-processor/charge card-that-others-removed"],
  },
  {
    fault: "gives nothing back any more once the card is removed",
    party: "card-processor",
    make() {
      const removed = new Set<string>();
      return async ({ path, body }) => {
        if (path === "/card-processor/remove-card") removed.add(String(body.input?.orderHash));
        const isGone = path === "/card-processor/return" && removed.has(String(body.input?.orderHash));
        return isGone ? answerWith({ outcome: "refused" }) : undefined;
      };
    },
    found: ["/card-processor/return charge-of-a-removed-card"],
  },
  {
    fault: "forgets a customer's card with the order's",
    party: "card-processor",
    make() {
      let isRemoved = false;
      return async ({ path, forward }) => {
        const answer = await forward();
        if (path === "/card-processor/remove-card" && answer.status === 200) isRemoved = true;
        return path === "/card-processor/kept-cards" && isRemoved && answer.status === 200
          ? answerWith({ cards: [] })
          : answer;
      };
    },
    found: ["/card-processor/kept-cards kept-of-a-removed-card"],
  },
  {
    fault: "does not know of a removal when it is inquired about",
    party: "card-processor",
    make: () => at("/card-processor/remove-card/inquiry", async () => answerWith({ outcome: "not_found" })),
    found: ["/card-processor/remove-card/inquiry known-key"],
  },
  {
    fault: "gives its private key away",
    party: "insurer",
    make: () =>
      at(
        "/insurer/sealing-key",
        changing((body) => ({ ...body, d: "private" })),
      ),
    found: ["/insurer/sealing-key public-key-only"],
  },
  {
    fault: "makes a second claim of an order that is filed again",
    party: "insurer",
    make() {
      const known = seen();
      return at("/insurer/file-claim", async ({ key, body, forward }) => {
        const order = String(body.input?.orderHash);
        const isSecond = timesOf(known, `${order} ${key}`) === 1 && timesOf(known, order) > 1;
        return isSecond && typeof body.input?.orderHash === "string"
          ? forward({ body: { ...body, input: { ...body.input, orderHash: randomUUID() } } })
          : undefined;
      });
    },
    found: ["/insurer/file-claim filed-again"],
  },
  {
    fault: "reduces a loan again for a repeated key",
    party: "financing-provider",
    make() {
      const known = seen();
      return at("/financing-provider/reduce-loan", async (exchange) => {
        const first = await exchange.forward();
        if (first.status === 200 && timesOf(known, exchange.key) > 1) await exchange.forward(under(randomUUID()));
        return first;
      });
    },
    found: ["/financing-provider/loans has-everything"],
  },
  {
    fault: "confirms a loan that it does not know",
    party: "financing-provider",
    make: () =>
      at(
        "/financing-provider/confirm-loan",
        changing(() => ({ outcome: "confirmed" })),
      ),
    found: [
      "/financing-provider/confirm-loan unknown-loan",
      "/financing-provider/confirm-loan loan-of-another-provider",
    ],
  },
  {
    fault: "issues a document again, under another number, for a repeated key",
    party: "tax-documents",
    make() {
      const known = seen();
      return at("/tax-documents/issue", async ({ key, forward }) =>
        timesOf(known, key) > 1 ? forward(under(randomUUID())) : undefined,
      );
    },
    found: [
      "/tax-documents/issue repeated-key",
      "/tax-documents/issue same-key-at-once",
      "/tax-documents/issue key-kept",
      "/tax-documents/documents nothing-else",
    ],
  },
  {
    fault: "pays each of two calls that come at once under one key",
    party: "bank",
    make() {
      const running = new Set<string>();
      return at("/bank/transfer", async ({ key, forward }) => {
        if (running.has(key)) return forward(under(randomUUID()));
        running.add(key);
        return forward().finally(() => running.delete(key));
      });
    },
    found: ["/bank/transfer same-key-at-once", "/bank/transfers nothing-else"],
  },
];

// In the short check: here: passes every check of every party, except callbacks, since it sends none.
describe("a connector that", { tags: ["long"] }, () => {
  it.each(PLANTED)("$fault is reported by name, without secrets", async ({ party, make, found }) => {
    const connector = await startFaultyConnector(good, make());
    const report = await checkAndClose(connector, { parties: [party] });
    expect(report.verdict).toBe("does_not_conform");
    expect(failedIn(report)).toEqual(expect.arrayContaining([...found]));
    const { card, insurer_password: password } = testValuesSchema.parse({});
    const printed = [reportLines(report).join("\n"), JSON.stringify(reportJson(report))].join("\n");
    for (const secret of [card.number, password, gateways.token]) expect(printed).not.toContain(secret);
  });

  it("never answers is reported after the service's own wait", async () => {
    const connector = await startFaultyConnector(good, async () => null);
    const report = await checkAndClose(connector, { parties: ["bank"], deadlineMs: 50 });
    expect(failedIn(report)).toContain("/bank/transfer in-time");
  });

  it("does not exist fails every check", async () => {
    const report = await check("http://127.0.0.1:9", { parties: ["bank"] });
    expect(failedIn(report)).toContain("/bank/transfer good-call");
    expect(report.verdict).toBe("does_not_conform");
  });
});

describe("a callback", () => {
  /** Files a claim as the correct connector does, and calls back its number. */
  async function checkedWith(sign: (callback: CallbackToSign) => object, path = INSURER_CALLBACK_PATH) {
    const callbacks = await listenForCallbacks(0, gateways);
    const connector = await startFaultyConnector(
      good,
      at("/insurer/file-claim", async ({ body, forward }) => {
        const answer = await forward();
        if (answer.body.outcome !== "filed") return answer;
        const news = JSON.stringify({ provider_id: body.provider_id, claim_id: answer.body.claimId });
        const headers = { ...sign({ id: randomUUID(), at: gateways.clock.now(), body: news }) };
        await fetch(`http://127.0.0.1:${callbacks.port}${path}`, { method: "POST", headers, body: news });
        return answer;
      }),
    );
    const report = await check(connector.url, { parties: ["insurer"], callbacks });
    await Promise.all([connector.close(), callbacks.close()]);
    return failedIn(report);
  }

  it("passes if it is signed with the token", async () => {
    expect(await checkedWith((callback) => signCallback(callback, gateways.token))).toEqual([]);
  });

  it.each<[string, (callback: CallbackToSign) => object]>([
    ["with another token", (callback) => signCallback(callback, "another-token-of-16")],
    [
      "an hour ago",
      ({ at: now, ...callback }) =>
        signCallback({ ...callback, at: new Date(now.getTime() - 3_600_000) }, gateways.token),
    ],
    ["not at all", () => ({})],
  ])("is reported if it is signed %s", async (_name, sign) => {
    expect(await checkedWith(sign)).toEqual([`${INSURER_CALLBACK_PATH} signed`]);
  });

  it("is reported if it goes to another path", async () => {
    const sign = (callback: CallbackToSign) => signCallback(callback, gateways.token);
    expect(await checkedWith(sign, "/elsewhere")).toEqual([`${INSURER_CALLBACK_PATH} path`]);
  });
});
