import type { CheckoutError } from "./mount-checkout.ts";

/*
 * Explains to the developer of a partner's page why the checkout does not work there. Each cause is one line in the
 * console, with the section of `/docs/embedding` that explains the fix. The kit loads this file only on pages under
 * development (docs/decisions/0013).
 */

/** The module's contract with every released kit. */
export type Diagnosis = {
  /** Without an error the checkout has been mounted. */
  diagnose: (frame: HTMLIFrameElement, error?: CheckoutError) => void;
};

type Cause =
  | "sandbox"
  | "coep"
  | "csp"
  | "origin"
  | "https"
  | "token"
  | "hidden"
  | "clipped"
  | "mounted-twice"
  | "timeout"
  | "version";
type Finding = readonly [cause: Cause, words: string];

/** A page may still show the element around the checkout when the first screen is up. */
const SETTLE_MS = 2_000;
/** Of rounded sizes. */
const TOLERANCE_PX = 2;

const reported = new WeakMap<HTMLIFrameElement, Set<Cause>>();
const mounted = new Set<HTMLIFrameElement>();

const say = (frame: HTMLIFrameElement, finding: Finding | undefined): void => {
  if (!finding) return;
  const [cause, words] = finding;
  const before = reported.get(frame) ?? new Set();
  if (before.has(cause)) return;
  reported.set(frame, before.add(cause));
  // biome-ignore lint/suspicious/noConsole: it is written for the developer of the partner's page.
  console.error(`[aapd] ${words}, see /docs/embedding#${cause}`);
};

let hasEmbedderPolicy = globalThis.crossOriginIsolated;
if (globalThis.ReportingObserver) {
  const note = (reports: readonly { readonly type?: string }[]): void => {
    hasEmbedderPolicy ||= reports.some(({ type }) => type === "coep");
  };
  new ReportingObserver(note, { types: ["coep"], buffered: true }).observe();
}

/** Explains the failure of the checkout in `frame`. Without an error, watches the checkout from now on. */
export const diagnose: Diagnosis["diagnose"] = (frame, error) => {
  if (!error) onMounted(frame);
  else if (error.type === "load_error") say(frame, judgeLoad(frame, error.reason));
  else if (error.code.startsWith("widget_token_"))
    say(frame, ["token", `the link of the checkout cannot be used (${error.code})`]);
};

const onMounted = (frame: HTMLIFrameElement): void => {
  say(frame, judgePage() ?? judgeOthers(frame));
  const dialog = frame.closest("dialog");
  if (!dialog) return;
  const onState = (): void => {
    if (dialog.dataset.state !== "ready") return;
    states.disconnect();
    setTimeout(() => say(frame, judgeSight(dialog)), SETTLE_MS);
  };
  const states = new MutationObserver(onState);
  states.observe(dialog, { attributeFilter: ["data-state"] });
  onState();
};

const judgePage = (): Finding | undefined => {
  if (globalThis.origin === "null") return ["sandbox", "this page is in a sandbox without allow-same-origin"];
  if (!isSecureContext) return ["https", `${location.origin} is not served over https`];
  return undefined;
};

/** A checkout's token, or the address of a page that has none, such as the designers' gallery. */
const visitOf = ({ src }: HTMLIFrameElement): string => new URL(src).searchParams.get("widget_token") ?? src;

const judgeOthers = (frame: HTMLIFrameElement): Finding | undefined => {
  for (const one of mounted) if (!one.isConnected) mounted.delete(one);
  const isTwice = [...mounted].some((one) => one !== frame && visitOf(one) === visitOf(frame));
  mounted.add(frame);
  return isTwice ? ["mounted-twice", "two checkouts on this page have the same url"] : undefined;
};

const judgeLoad = (frame: HTMLIFrameElement, reason: string): Finding | undefined => {
  const host = new URL(frame.src).origin;
  if (reason === "csp") return ["csp", `the policy of this page lacks frame-src ${host}`];
  if (reason === "version") return ["version", "the checkout is newer than the kit of this page"];
  const around = judgePage() ?? judgeSight(frame.closest("dialog"));
  if (around) return around;
  if (hasEmbedderPolicy) return ["coep", "Cross-Origin-Embedder-Policy of this page blocks the checkout"];
  if (reason === "timeout") return ["timeout", `${host} did not answer in time`];
  return ["origin", `the checkout refused this page: ${location.origin} may not be registered`];
};

/** The element as a developer finds it: its name with its id or first class. */
const nameOf = ({ localName, id, classList }: Element): string =>
  localName + (id ? `#${id}` : classList[0] ? `.${classList[0]}` : "");

/** The element and all around it, through shadow roots. */
const chainOf = (element: Element): readonly Element[] => {
  const root = element.getRootNode();
  const outer = element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  return outer ? [element, ...chainOf(outer)] : [element];
};

const isHiding = (element: Element): boolean => {
  const { display, visibility, opacity } = getComputedStyle(element);
  return display === "none" || visibility === "hidden" || opacity === "0";
};

/** The kit's dialog, and not its frame, since the kit hides that after a failure. */
const judgeSight = (dialog: HTMLDialogElement | null): Finding | undefined => {
  if (!dialog?.isConnected) return undefined;
  const chain = chainOf(dialog);
  const hiding = chain.find(isHiding);
  if (hiding) return ["hidden", `${nameOf(hiding)} hides the checkout`];
  // A modal dialog is in the top layer, where nothing clips it.
  if (dialog.matches(":modal")) return undefined;
  const clipping = findClipping(chain, dialog.getBoundingClientRect());
  return clipping && ["clipped", `${nameOf(clipping)} clips the checkout`];
};

/** The nearest element that hides a part of `seen` for good, instead of scrolling to it. */
const findClipping = ([, ...around]: readonly Element[], seen: DOMRect): Element | undefined => {
  let { top, bottom, left, right } = seen;
  for (const element of around) {
    // The page itself scrolls.
    if (element === document.documentElement || element === document.body) return undefined;
    const { overflowX, overflowY } = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    const isWider = left < box.left - TOLERANCE_PX || right > box.right + TOLERANCE_PX;
    const isTaller = top < box.top - TOLERANCE_PX || bottom > box.bottom + TOLERANCE_PX;
    if ((isWider && hides(overflowX)) || (isTaller && hides(overflowY))) return element;
    // An element that scrolls shows no more than its own size.
    if (scrolls(overflowX)) [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
    if (scrolls(overflowY)) [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
  }
  return undefined;
};

const hides = (overflow: string): boolean => overflow === "hidden" || overflow === "clip";
const scrolls = (overflow: string): boolean => overflow === "auto" || overflow === "scroll";
