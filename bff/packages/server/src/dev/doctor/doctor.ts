import { AapdError } from "../../../../../src/partner-client/errors.ts";
import { type LoggedEvent, readEvents } from "../forward-events.ts";
import type { SandboxKeys } from "../keys.ts";
import { clientOf, playScenario } from "../play-scenario.ts";
import { judgeAccount } from "./account.ts";
import { type Browser, seeView } from "./browser.ts";
import { judgeCredentials, sendProbe } from "./credentials.ts";
import { type Finding, type Report, reportOf, warning } from "./finding.ts";
import { judgePage, seePage } from "./page.ts";
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
  /** Whether a test patient may pay an order if there is no event yet to send; by default, yes. */
  readonly mayPay?: boolean;
  /** Shows the page. Without one, what only a browser can see is not examined. */
  readonly browser?: Browser | undefined;
  /** The element of the page that opens the checkout, as a selector of Playwright. */
  readonly click?: string | undefined;
}

const RECEIVER_TIMEOUT_MS = 10_000;
const TEXT_LENGTH_MAX = 4_000;

/** Examines a partner's integration against its sandbox. If there is no event yet to send, it pays an order. */
export async function examine(keys: SandboxKeys, examined: Examined): Promise<Report> {
  const { page, webhook, word, mayPay = true } = examined;
  const notExamined: string[] = [];
  const findings: Finding[] = await judgeCredentials(keys, { probe: sendProbe, mayOrder: mayPay, now: new Date() });
  if (findings.some(({ verdict }) => verdict === "mistake")) return reportOf(findings);
  if (page !== undefined) {
    const seen = await seePage(page, keys.addresses.widget_host, async (origin) => {
      try {
        await clientOf(keys).mintWidgetToken({ parent_origin: origin });
        return true;
      } catch (error) {
        if (error instanceof AapdError && error.code === "origin_not_registered") return false;
        throw error;
      }
    });
    const isThere = seen.status === 200;
    const inBrowser = isThere ? await judgeInBrowser(keys, page, examined) : [];
    // The browser has seen what the text of the page does not show.
    const isSeen = inBrowser.length > 0 && !inBrowser.some(({ id }) => id === "frame_missing");
    const known = new Set([...inBrowser.map(({ id }) => id), ...(isSeen ? ["kit_missing"] : [])]);
    const ofText = judgePage(seen, keys).filter(({ id }) => !known.has(id));
    findings.push(...ofText, ...inBrowser);
    if (isThere && examined.browser === undefined) notExamined.push(NO_BROWSER);
  }
  if (webhook !== undefined) {
    const { credentials } = keys;
    const event = await someEvent(keys, mayPay);
    findings.push(...(event === null ? [NO_EVENT] : await judgeWebhook(sendTo(webhook), event, { credentials, word })));
  }
  findings.push(...(await judgeAccount(keys, (await readEvents(keys, null)).events)));
  return reportOf(findings, notExamined);
}

const NO_BROWSER =
  "Without a browser nothing is known of hidden, clipped or double frames and of expired links: npm install --save-dev playwright && npx playwright install chromium";

/** What only a browser can see. A page that is not there has been named already. */
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
