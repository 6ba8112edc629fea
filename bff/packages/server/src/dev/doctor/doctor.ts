import { type LoggedEvent, readEvents } from "../forward-events.ts";
import type { SandboxKeys } from "../keys.ts";
import { playScenario } from "../play-scenario.ts";
import { judgeAccount } from "./account.ts";
import { type Browser, seeView } from "./browser.ts";
import { judgeCredentials, sendProbe } from "./credentials.ts";
import { type Finding, type Report, reportOf, warning } from "./finding.ts";
import { judgePage, seePage } from "./page.ts";
import { unsetFor } from "./variables.ts";
import { judgeView } from "./view.ts";
import { judgeWebhook, type Probe, type ProbeAnswer } from "./webhook.ts";

export type { Report } from "./finding.ts";

export interface Examined {
  /** A page with the checkout on it. */
  readonly page?: string | undefined;
  /** The receiver of webhooks. */
  readonly webhook?: string | undefined;
  /** The word in the name of the signature's header. */
  readonly word: string;
  /** Whether a test patient may pay an order if no event exists to send; true by default. */
  readonly mayPay?: boolean;
  /** Shows the page. Without it, nothing that requires a browser is examined. */
  readonly browser?: Browser | undefined;
  /** The element of the page that opens the checkout, as a selector of Playwright. */
  readonly click?: string | undefined;
  /** Findings about the variables that hold the keys. */
  readonly ofVariables?: readonly Finding[];
}

const RECEIVER_TIMEOUT_MS = 10_000;
const TEXT_LENGTH_MAX = 4_000;

/** The findings of a part of the examination, and what could not be examined. */
type Part = Pick<Report, "findings" | "notExamined">;

/**
 * Examines a partner's integration against its sandbox. If no event exists to send, it pays an order. A check whose
 * variables are not set is skipped and named in `notExamined`.
 */
export async function examine(keys: SandboxKeys, examined: Examined): Promise<Report> {
  const { page, webhook, mayPay = true, ofVariables = [] } = examined;
  const ofKeys = await judgeCredentials(keys, { probe: sendProbe, mayOrder: mayPay, now: new Date() });
  const first = [...ofVariables, ...ofKeys];
  if (ofKeys.some(({ verdict }) => verdict === "mistake")) return reportOf(first);
  const parts = [
    ...(page === undefined ? [] : [await examinePage(keys, page, examined)]),
    ...(webhook === undefined ? [] : [await examineWebhook(keys, webhook, examined)]),
    await examineAccount(keys),
  ];
  return reportOf(
    [...first, ...parts.flatMap(({ findings }) => findings)],
    parts.flatMap((part) => part.notExamined),
  );
}

/** A part whose variables are not set. */
function skipped(what: string, unset: readonly string[]): Part {
  return { findings: [], notExamined: [`${what} was not examined. Set ${unset.join(", ")}.`] };
}

async function examinePage(keys: SandboxKeys, page: string, examined: Examined): Promise<Part> {
  const unset = unsetFor("page", keys);
  if (unset.length > 0) return skipped("The page", unset);
  const seen = await seePage(page, keys.addresses.widget_host, (origin) => isOriginRegistered(keys, origin));
  const isThere = seen.status === 200;
  const ofSource = judgePage(seen, keys);
  const isBlocked = ofSource.some(({ id, verdict }) => verdict === "mistake" && BLOCKING.has(id));
  const inBrowser = isThere && !isBlocked ? await judgeInBrowser(keys, page, examined) : [];
  // The browser has already reported this, which the text of the page cannot show.
  const isSeen = inBrowser.length > 0 && !inBrowser.some(({ id }) => id === "frame_missing");
  const known = new Set([...inBrowser.map(({ id }) => id), ...(isSeen ? ["kit_missing"] : [])]);
  const ofText = ofSource.filter(({ id }) => !known.has(id));
  return {
    findings: [...ofText, ...inBrowser],
    notExamined: [
      ...(isThere && examined.browser === undefined ? [NO_BROWSER] : []),
      ...(isThere && seen.isOriginRegistered === null ? [NO_ORIGIN] : []),
    ],
  };
}

/** Mistakes because of which no browser shows the checkout: what it reports then would hide the cause. */
const BLOCKING: ReadonlySet<string> = new Set([
  "origin_not_registered",
  "embedder_policy",
  "policy_sandbox",
  "policy_script",
  "policy_frame",
  "kit_version",
  "kit_hash",
]);

const NO_ORIGIN =
  "The service did not say whether the page's origin is registered. Set SPOT_API and PUBLIC_KEY, or try again later.";

/**
 * Null if the service does not reveal it. The call mints nothing: its return URL is not registered, and the service
 * checks the origin first.
 */
async function isOriginRegistered({ addresses, credentials }: SandboxKeys, origin: string): Promise<boolean | null> {
  const { public_key, client_secret } = credentials;
  if (addresses.spot_api === "" || public_key === "") return null;
  const { body } = await sendProbe({
    method: "POST",
    url: `${addresses.spot_api}/api/spot/widget?public_key=${encodeURIComponent(public_key)}`,
    headers: client_secret === "" ? {} : { authorization: `Bearer ${client_secret}` },
    body: { parent_origin: origin, return_url: `https://doctor.invalid/${crypto.randomUUID()}` },
  });
  if (body?.code === "origin_not_registered") return false;
  return body?.code === "return_url_not_registered" ? true : null;
}

async function examineWebhook(keys: SandboxKeys, webhook: string, examined: Examined): Promise<Part> {
  const { word, mayPay = true } = examined;
  const unset = unsetFor("webhook", keys);
  if (unset.length > 0) return skipped("The receiver", unset);
  const event = await someEvent(keys, mayPay && unsetFor("payment", keys).length === 0);
  if (event === null) return { findings: [NO_EVENT], notExamined: [] };
  const { credentials } = keys;
  return { findings: await judgeWebhook(sendTo(webhook), event, { credentials, word }), notExamined: [] };
}

async function examineAccount(keys: SandboxKeys): Promise<Part> {
  const unset = unsetFor("account", keys);
  if (unset.length > 0) return skipped("The account", unset);
  return { findings: await judgeAccount(keys, (await readEvents(keys, null)).events), notExamined: [] };
}

const NO_BROWSER =
  "The page was not opened in a browser, which finds hidden, clipped and double frames and expired links. Install one: npm install --save-dev playwright && npx playwright install chromium";

/** Checks that require a browser. A page that cannot be loaded was already reported. */
async function judgeInBrowser(
  { addresses, credentials }: SandboxKeys,
  url: string,
  { browser, click }: Examined,
): Promise<Finding[]> {
  if (browser === undefined) return [];
  const host = new URL(addresses.widget_host).origin;
  const statusOf = async (token: string) =>
    (
      await sendProbe({
        url: `${host}/api/spot/widget/${encodeURIComponent(token)}?public_key=${credentials.public_key}`,
      })
    ).status;
  return judgeView(await seeView(browser, { url, host, click }), statusOf);
}

const NO_EVENT = warning(
  "webhook_not_examined",
  "No order has been paid yet, so that there is no event to send to the receiver.",
  "Pay one in the sandbox, and examine it again.",
);

/** The latest event about a paid order; null if there is none and no order may be paid. */
async function someEvent(keys: SandboxKeys, mayPay: boolean): Promise<LoggedEvent | null> {
  const paid = async () => (await readEvents(keys, null)).events.findLast(({ event }) => event === "order.paid");
  const known = await paid();
  if (known !== undefined) return known;
  if (!mayPay) return null;
  await playScenario(keys, { name: "paid", ends: "" });
  const made = await paid();
  if (made === undefined) throw new Error("The order that was paid for the examination is not in the log of events.");
  return made;
}

function sendTo(url: string): (probe: Probe) => Promise<ProbeAnswer> {
  return async ({ body, headers }) => {
    const begun = performance.now();
    const ms = () => performance.now() - begun;
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(RECEIVER_TIMEOUT_MS),
      });
      const text = (await answer.text()).slice(0, TEXT_LENGTH_MAX);
      return { status: answer.status, ms: ms(), location: answer.headers.get("location"), text };
    } catch (error) {
      return { status: null, ms: ms(), isLate: error instanceof Error && error.name === "TimeoutError" };
    }
  };
}
