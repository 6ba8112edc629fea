import type { mountCheckout } from "widget/embed";
import type { PreloadedCheckout } from "widget/embed/preload";

/** The exports of the service's evergreen script that this page uses. */
export interface EmbedKit {
  readonly mountCheckout: typeof mountCheckout;
}

/** The address of a checkout, which may have been loaded before it is shown. */
export type CheckoutAddress = string | PreloadedCheckout;

/** The exports of the service's script that loads a checkout before it is shown. */
interface PreloadKit {
  readonly preloadCheckout: (url: string) => PreloadedCheckout;
}

/** Preloads a checkout that is about to be opened; if that fails, it is loaded when it is shown. */
export async function preloadFrom(widgetHostUrl: string, url: string): Promise<CheckoutAddress> {
  try {
    // Also preloads the kit, which the press will need.
    const [{ preloadCheckout }] = await Promise.all([loadPreloadKit(widgetHostUrl), loadEmbedKit(widgetHostUrl)]);
    return preloadCheckout(url);
  } catch {
    return url;
  }
}

function loadPreloadKit(widgetHostUrl: string): Promise<PreloadKit> {
  return import(/* @vite-ignore */ `${widgetHostUrl}/embed/preload.js`);
}

/** Loads the embed kit from the widget's host, as a partner's page does: from one address, without bundling it. */
export function loadEmbedKit(widgetHostUrl: string): Promise<EmbedKit> {
  return import(/* @vite-ignore */ `${widgetHostUrl}/embed/v1.js`);
}
