import { join } from "node:path";
import type { Credentials } from "./credentials.ts";
import { BIND, type Settings } from "./settings.ts";

/** The environment of the clinic's back end: the caller's environment with these variables added. */
export function clinicEnvironment(
  settings: Settings,
  credentials: Credentials,
  base: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  return {
    ...base,
    DEMO_PORT: new URL(settings.clinicUrl).port,
    DEMO_BIND: BIND,
    DEMO_DATA_DIR: join(settings.dataDir, "host-demo"),
    DEMO_PAGE_DIR: settings.clinicPageDir,
    ORDER_API_URL: settings.orderApiUrl,
    SPOT_API_URL: settings.spotApiUrl,
    WIDGET_HOST_URL: settings.widgetHostUrl,
    MAILS_GALLERY_URL: `${settings.sandboxPartiesUrl}/mails`,
    AAPD_CLIENT_SECRET: credentials.client_secret,
    AAPD_PUBLIC_KEY: credentials.public_key,
    AAPD_WEBHOOK_SECRET: credentials.webhook_secret,
    AAPD_SECRET_KEY: credentials.secret_key,
    // The clinic must check the same header with which the service signs.
    AAPD_SIGNATURE_WORD: base.WEBHOOK_SIGNATURE_WORD,
  };
}
