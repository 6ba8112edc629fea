import type { mountCheckout } from "../../../embed/mount-checkout.ts";

/** What a released file of the kit is, so that a page runs these bytes or none. */
export interface ReleasedKit {
  readonly version: string;
  /** Of `{version}.classic.js`, for subresource integrity. */
  readonly integrity: string;
}

/** The kit as its script defines it. */
export interface Kit {
  readonly mountCheckout: typeof mountCheckout;
}

declare global {
  interface Window {
    /** What the classic script of the kit defines. */
    Aapd?: Kit;
  }
}

/** Thrown when the kit did not come, or was not what was released: the browser's console says which. */
export class KitNotLoaded extends Error {
  override name = "KitNotLoaded";
}

const loading = new Map<string, Promise<Kit>>();

/**
 * Loads a released kit from the widget host, once for a page. A load that failed is tried anew at the next call. Under Trusted Types
 * it makes a policy of the name `aapd-embed`.
 */
export function loadKit(widgetHost: string, { version, integrity }: ReleasedKit): Promise<Kit> {
  const src = new URL(`/embed/${version}.classic.js`, widgetHost).href;
  const known = loading.get(src);
  if (known !== undefined) return known;
  const kit = insertScript(src, integrity).catch((error: unknown) => {
    loading.delete(src);
    throw error;
  });
  loading.set(src, kit);
  return kit;
}

function insertScript(src: string, integrity: string): Promise<Kit> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.integrity = integrity;
    script.crossOrigin = "anonymous";
    script.addEventListener("load", () => {
      if (globalThis.window.Aapd === undefined) reject(new KitNotLoaded(`${src} defined no kit`));
      else resolve(globalThis.window.Aapd);
    });
    script.addEventListener("error", () => {
      script.remove();
      reject(new KitNotLoaded(`${src} did not come, or is not what was released`));
    });
    script.src = trusted(src);
    document.head.append(script);
  });
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): unknown;
  };
}

let policy: ReturnType<TrustedTypes["createPolicy"]> | undefined;

/** The address as a page under `require-trusted-types-for 'script'` takes it. */
function trusted(src: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return src;
  policy ??= trustedTypes.createPolicy("aapd-embed", { createScriptURL: (url) => url });
  return policy.createScriptURL(src) as string;
}
