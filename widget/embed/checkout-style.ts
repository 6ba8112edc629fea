import { newSession } from "./protocol.ts";

/*
 * Constructed style sheets need no exception in `style-src`, unlike a style element or attribute. A page may set
 * `--aapd-min-height` (640px): that height is reserved from the start, so that nothing below moves. In a dialog the
 * frame fills the dialog and scrolls by itself. A backslash joins the lines.
 */
const CSS = `aapd-checkout,aapd-root-1{display:block}\
aapd-root-1[data-mode=inline],.aapd-frame{min-height:max(var(--aapd-height,0px),var(--aapd-min-height,640px))}\
.aapd-dialog{box-sizing:border-box;max-width:none;max-height:none;padding:0;border:0}\
.aapd-dialog:not(:modal){position:static;width:auto;margin:0;background:none;color:inherit}\
.aapd-dialog:modal{display:flex;flex-direction:column;width:480px;height:min(820px,100dvh - 2rem);margin:auto;border-radius:12px;overscroll-behavior:contain}\
.aapd-frame{display:block;width:100%;border:0}\
:modal>.aapd-frame{flex:1;min-height:0}\
.aapd-close{display:none;align-self:end;min-width:44px;min-height:44px;border:0;background:none;color:inherit;font:24px system-ui;cursor:pointer}\
[data-mode=dialog]>:modal>.aapd-close{display:block}\
.aapd-failure{display:grid;gap:12px;justify-items:start;padding:24px}\
.aapd-failure>button{padding:12px 20px;font:inherit}\
[data-state=failed]>.aapd-frame{position:absolute;min-height:0;height:0;visibility:hidden}\
.aapd-locked{overflow:hidden}\
.aapd-gutter{scrollbar-gutter:stable}\
@media(max-width:519px){.aapd-dialog:modal{width:100%;height:100dvh;border-radius:0;padding:env(safe-area-inset-top) 0 env(safe-area-inset-bottom)}}`;

export type CheckoutStyle = {
  /** Adopts the style sheet in the document or shadow root that contains the checkout. */
  attach: () => void;
  detach: () => void;
  /** CSS pixels. */
  setHeight: (height: number) => void;
  setScheme: (scheme: "light" | "dark") => void;
};

const isStyleScope = (node: Node): node is Document | ShadowRoot => "adoptedStyleSheets" in node;

/** The style of one checkout, whose root element is `root`. */
export const createCheckoutStyle = (root: HTMLElement): CheckoutStyle => {
  const name = `aapd-${newSession()}`;
  const sheet = new CSSStyleSheet();
  let scope: Node | undefined;
  let height = 0;
  let scheme = "light";

  // Values that change are in a rule of this checkout, which no style of the page can override by accident.
  const write = (): void => sheet.replaceSync(`${CSS}.${name}{--aapd-height:${height}px;color-scheme:${scheme}}`);
  const adopt = (...sheets: CSSStyleSheet[]): void => {
    if (!scope || !isStyleScope(scope)) return;
    scope.adoptedStyleSheets = [...scope.adoptedStyleSheets.filter((other) => other !== sheet), ...sheets];
  };
  root.className = name;
  return {
    setHeight: (newHeight) => {
      height = newHeight;
      write();
    },
    setScheme: (newScheme) => {
      scheme = newScheme;
      write();
    },
    attach: () => {
      scope = root.getRootNode();
      adopt(sheet);
    },
    detach: () => adopt(),
  };
};
