import { AapdError } from "../../../../../src/partner-client/errors.ts";
import { type LoggedEvent, readEvents } from "../forward-events.ts";
import type { SandboxKeys } from "../keys.ts";
import { clientOf, playScenario } from "../play-scenario.ts";
import { judgeAccount, judgeKeys } from "./account.ts";
import { type Finding, type Report, reportOf, warning } from "./finding.ts";
import { judgePage, seePage } from "./page.ts";
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
}

const RECEIVER_TIMEOUT_MS = 10_000;

/** Examines a partner's integration against its sandbox. If there is no event yet to send, it pays an order. */
export async function examine(keys: SandboxKeys, { page, webhook, word, mayPay = true }: Examined): Promise<Report> {
  const client = clientOf(keys);
  const findings: Finding[] = await judgeKeys(client);
  if (findings.some(({ verdict }) => verdict === "mistake")) return reportOf(findings);
  if (page !== undefined) {
    const seen = await seePage(page, keys.addresses.widget_host, async (origin) => {
      try {
        await client.mintWidgetToken({ parent_origin: origin });
        return true;
      } catch (error) {
        if (error instanceof AapdError && error.code === "origin_not_registered") return false;
        throw error;
      }
    });
    findings.push(...judgePage(seen, keys));
  }
  if (webhook !== undefined) {
    const { credentials } = keys;
    const event = await someEvent(keys, mayPay);
    findings.push(...(event === null ? [NO_EVENT] : await judgeWebhook(sendTo(webhook), event, { credentials, word })));
  }
  findings.push(...(await judgeAccount(keys, (await readEvents(keys, null)).events)));
  return reportOf(findings);
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
    const signal = AbortSignal.timeout(RECEIVER_TIMEOUT_MS);
    const type = { "content-type": "application/json" };
    const status = await fetch(url, {
      method: "POST",
      headers: { ...type, ...headers },
      body,
      redirect: "manual",
      signal,
    })
      .then(async (answer) => {
        await answer.body?.cancel();
        return answer.status;
      })
      .catch(() => null);
    return { status, ms: performance.now() - begun };
  };
}
