import type { mountCheckout } from "widget/embed";

/** What the service's evergreen script exports, as this page uses it. */
export interface EmbedKit {
  readonly mountCheckout: typeof mountCheckout;
}

/** Loads the embed kit from the widget's host, as a partner's page does: one address, nothing bundled. */
export function loadEmbedKit(widgetHostUrl: string): Promise<EmbedKit> {
  return import(/* @vite-ignore */ `${widgetHostUrl}/embed/v1.js`);
}
