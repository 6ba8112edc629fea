import type { mountCheckout } from "widget/embed";

/** The exports of the service's evergreen script that this page uses. */
export interface EmbedKit {
  readonly mountCheckout: typeof mountCheckout;
}

/** Loads the embed kit from the widget's host, as a partner's page does: from one address, without bundling it. */
export function loadEmbedKit(widgetHostUrl: string): Promise<EmbedKit> {
  return import(/* @vite-ignore */ `${widgetHostUrl}/embed/v1.js`);
}
