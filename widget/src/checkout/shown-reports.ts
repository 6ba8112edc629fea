import type { ConsentPurpose, GivenConsent } from "bff/contract/orders";
import type { ReportShownRequest, WidgetSession } from "bff/contract/widget-tokens";

/**
 * Reports to the service what the patient was shown, as evidence. A page counts as shown once the patient acts on it,
 * because link previews and mail scanners load pages and run their scripts too.
 */
export interface ShownReports {
  /** The patient has acted on the page: reports it, and the consent texts that are on the screen. */
  readonly act: () => void;
  /** Sets the page to report. Earlier actions count for it. */
  readonly begin: (page: ReportedPage) => void;
  /** Resolves once everything that the patient has acted on is reported, or one attempt to report it has failed. */
  readonly reported: () => Promise<void>;
}

export interface ReportedPage {
  readonly token: () => string;
  readonly session: () => Pick<WidgetSession, "public_key" | "consents">;
}

export interface ShownReportsOptions {
  /** Whether the consent to a purpose is on the screen. */
  readonly isOnScreen: (purpose: ConsentPurpose) => boolean;
  /** Returns whether the service has recorded it. Never rejects. */
  readonly send: (publicKey: string, body: ReportShownRequest) => Promise<boolean>;
}

interface Shown {
  readonly token: string;
  readonly publicKey: string;
  /** Null for the page itself. */
  readonly text: GivenConsent | null;
}

export function createShownReports({ isOnScreen, send }: ShownReportsOptions): ShownReports {
  const unsent = new Map<string, Shown>();
  const sent = new Set<string>();
  let page: ReportedPage | null = null;
  let hasActed = false;
  let hasFailed = false;
  let sending: Promise<void> | null = null;

  function note(shown: Shown): void {
    const key = `${shown.token} ${shown.text?.text_sha256 ?? ""}`;
    if (!sent.has(key)) unsent.set(key, shown);
  }

  function act(): void {
    hasActed = true;
    if (page === null) return;
    const { public_key: publicKey, consents } = page.session();
    const of = { token: page.token(), publicKey };
    note({ ...of, text: null });
    for (const { purpose, text_version, text_sha256 } of consents)
      if (isOnScreen(purpose)) note({ ...of, text: { purpose, text_version, text_sha256 } });
    // After a failure, the next attempt is made by a call that needs it, and not by every key pressed without a
    // network.
    if (!hasFailed) void report();
  }

  function report(): Promise<void> {
    sending ??= sendUnsent().finally(() => {
      sending = null;
    });
    return sending;
  }

  async function sendUnsent(): Promise<void> {
    for (;;) {
      const [first] = unsent.values();
      if (first === undefined) return;
      const batch = [...unsent].filter(([, { token }]) => token === first.token);
      const texts = batch.flatMap(([, { text }]) => text ?? []);
      hasFailed = !(await send(first.publicKey, { widget_token: first.token, texts }));
      if (hasFailed) return;
      for (const [key] of batch) {
        unsent.delete(key);
        sent.add(key);
      }
    }
  }

  return {
    act,
    begin(begun) {
      page = begun;
      if (hasActed) act();
    },
    reported: async () => {
      if (unsent.size > 0) await report();
    },
  };
}
