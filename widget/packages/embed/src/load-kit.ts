import type { mountCheckout } from "../../../embed/mount-checkout.ts";
import type { LoadErrorReason } from "../../../embed/protocol.ts";

/** A released file of the kit, so that a page runs exactly these bytes or nothing. */
export interface ReleasedKit {
  readonly version: string;
  /** The subresource integrity hash of `{version}.classic.js`. */
  readonly integrity: string;
}

/** The kit, as its script defines it. */
export interface Kit {
  readonly mountCheckout: typeof mountCheckout;
}

declare global {
  interface Window {
    /** Defined by the kit's classic script. */
    Aapd?: Kit;
  }
}

/** As long as the kit waits for the checkout: two attempts of ten seconds each. */
const KIT_TIMEOUT_MS = 20_000;

/** Thrown when the kit's script did not load or is not the released one. `reason` is that of a `load_error`. */
export class KitNotLoaded extends Error {
  override name = "KitNotLoaded";
  readonly reason: LoadErrorReason;

  constructor(message?: string, options: ErrorOptions & { readonly reason?: LoadErrorReason } = {}) {
    super(message, options);
    this.reason = options.reason ?? "timeout";
  }
}

/** The section of `/docs/embedding` for each reason. */
const ANCHORS: Readonly<Record<LoadErrorReason, string>> = {
  csp: "csp",
  timeout: "timeout",
  version: "version",
  not_ready: "when-it-does-not-load",
};

const loading = new Map<string, Promise<Kit>>();

/**
 * Loads a released kit from the widget host, once per page. The next call retries a failed load. Under Trusted Types it
 * creates the policy `aapd-embed`.
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
  return new Promise<Kit>((resolve, reject) => {
    const settled = new AbortController();
    const { signal } = settled;
    const script = document.createElement("script");
    const fail = (message: string, reason: LoadErrorReason): void => {
      settled.abort();
      script.remove();
      reject(new KitNotLoaded(`[aapd] ${message}, see /docs/embedding#${ANCHORS[reason]}`, { reason }));
    };
    const timer = setTimeout(
      () => fail(`${src} did not load within ${KIT_TIMEOUT_MS / 1000} s`, "timeout"),
      KIT_TIMEOUT_MS,
    );
    signal.addEventListener("abort", () => clearTimeout(timer));
    script.integrity = integrity;
    script.crossOrigin = "anonymous";
    script.addEventListener(
      "load",
      () => {
        const kit = globalThis.window.Aapd;
        if (kit === undefined) return fail(`${src} loaded but defines no kit`, "not_ready");
        settled.abort();
        resolve(kit);
      },
      { signal },
    );
    script.addEventListener(
      "error",
      // The report of a policy that forbids the script may arrive after this event.
      () => setTimeout(() => fail(`${src} did not load, or is not the released file`, "timeout")),
      { signal },
    );
    document.addEventListener(
      "securitypolicyviolation",
      (violation) => {
        if (forbids(violation, src)) fail(`the page's content security policy forbids ${src}`, "csp");
      },
      { signal },
    );
    const address = trusted(src);
    if (address === null) return fail("the page's policy allows no Trusted Types policy named aapd-embed", "csp");
    script.src = address;
    document.head.append(script);
  });
}

function forbids(violation: SecurityPolicyViolationEvent, src: string): boolean {
  const { blockedURI, disposition, effectiveDirective } = violation;
  return disposition === "enforce" && blockedURI === src && /^(script|default)-src/.test(effectiveDirective);
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

/** The address as a trusted script URL if the page requires one; null if the page forbids the policy. */
function trusted(src: string): string | null {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (trustedTypes === undefined) return src;
  try {
    policy ??= trustedTypes.createPolicy("aapd-embed", { createScriptURL: (url) => url });
  } catch {
    return null;
  }
  return policy.createScriptURL(src) as string;
}
