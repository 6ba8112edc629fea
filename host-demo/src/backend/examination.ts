import { examine, type Report } from "bff/doctor";
import type { ClinicConfig } from "./config.ts";

export type { Report } from "bff/doctor";

/** Examines the clinic's own page and its receiver of webhooks, as a partner does with theirs. */
export type Examination = () => Promise<Report>;

export function createExamination(
  config: Omit<ClinicConfig, "port" | "bind" | "dataDir" | "pageDir">,
  ownOrigin: () => string,
): Examination {
  const keys = {
    provider: { id: "", name: "", rut: "" },
    credentials: {
      client_secret: config.clientSecret,
      // The page's own credential: the clinic's backend never sees it, and so cannot pay.
      client_id: "",
      public_key: config.publicKey,
      webhook_secret: config.webhookSecret,
      secret_key: config.secretKey,
    },
    addresses: { order_api: config.orderApiUrl, spot_api: config.spotApiUrl, widget_host: config.widgetHostUrl },
    ends_at: "",
  };
  return () =>
    examine(keys, {
      page: `${ownOrigin()}/`,
      webhook: `${ownOrigin()}/webhooks/aapd`,
      word: /^x-(.+)-signature$/i.exec(config.signatureHeader)?.[1] ?? "Service",
      mayPay: false,
    });
}
