import { PRELOAD_PARAMETER } from "../../../../../src/contract/widget-page.ts";

/**
 * A script for a page, to run before its own: keeps errors, messages and removed frames, and measures on demand. The
 * page's refused requests are its first errors, because they explain the others. It is text because this package is
 * compiled without DOM types. `__aapdDoctor()` returns a `SeenView`.
 */
export function watchPage(host: string): string {
  return `(${WATCH})(${JSON.stringify(host)}, ${JSON.stringify(PRELOAD_PARAMETER)});`;
}

const WATCH = `(host, preload) => {
  if (window.top !== window) return;
  const errors = [];
  let announced = false;
  let framesRemoved = 0;
  const keep = (text) => { if (errors.length < 10) errors.push(String(text).slice(0, 300)); };
  const print = console.error;
  console.error = (...given) => { keep(given.map(String).join(" ")); print.apply(console, given); };
  addEventListener("error", ({ message }) => { if (message) keep(message); });
  addEventListener("unhandledrejection", ({ reason }) => keep(reason));
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, disposition }) => {
    if (disposition === "enforce") keep("content security policy: " + effectiveDirective + " forbids " + blockedURI);
  });
  addEventListener("message", ({ origin, data }) => {
    if (origin === host && data && data.channel === "aapd") announced = true;
  });

  const isOurs = (frame) => frame.src.startsWith(host + "/") && !new URL(frame.src).searchParams.has(preload);
  const framesIn = (root) => [
    ...[...root.querySelectorAll("iframe")].filter(isOurs),
    ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? framesIn(shadowRoot) : [])),
  ];
  const holdsFrame = (node) => node.localName === "iframe" ? isOurs(node) : node.nodeType === 1 && framesIn(node).length > 0;
  new MutationObserver((changes) => {
    for (const { removedNodes } of changes) framesRemoved += [...removedNodes].filter(holdsFrame).length;
  }).observe(document, { childList: true, subtree: true });

  const nameOf = ({ localName, id, classList }) =>
    localName + (id ? "#" + id : classList.length > 0 ? "." + classList[0] : "");
  const chainOf = (element) => {
    const outer = element.parentElement || element.getRootNode().host;
    return outer ? [element, ...chainOf(outer)] : [element];
  };
  const isHiding = (element) => {
    const { display, visibility, opacity } = getComputedStyle(element);
    return display === "none" || visibility !== "visible" || Number(opacity) < 0.1;
  };
  const measure = (frame) => {
    const { top, left, width, height } = frame.getBoundingClientRect();
    const chain = chainOf(frame);
    const hiding = chain.find(isHiding);
    const clips = chain
      .slice(1)
      .filter((element) => element !== document.documentElement && element !== document.body)
      .map((element) => {
        const { overflowX, overflowY } = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        return {
          by: nameOf(element),
          height: /hidden|clip/.test(overflowY) ? Math.max(0, Math.min(height, box.bottom - top)) : height,
          width: /hidden|clip/.test(overflowX) ? Math.max(0, Math.min(width, box.right - left)) : width,
        };
      });
    const clip = clips.find((one) => one.height < height - 2 || one.width < width - 2);
    const around = frame.closest("[data-state]");
    return {
      token: new URL(frame.src).searchParams.get("widget_token"),
      sandbox: frame.getAttribute("sandbox"),
      width: Math.round(width),
      height: Math.round(height),
      hiddenBy: hiding ? nameOf(hiding) : null,
      clippedBy: clip ? clip.by : null,
      visibleHeight: Math.round(clip ? clip.height : height),
      visibleWidth: Math.round(clip ? clip.width : width),
      state: around ? around.getAttribute("data-state") : null,
    };
  };
  const refusals = () =>
    performance
      .getEntriesByType("resource")
      .filter(({ name, initiatorType, responseStatus }) =>
        responseStatus >= 400 && /^(?:fetch|xmlhttprequest|script)$/.test(initiatorType) && name.startsWith(location.origin))
      .map(({ name, responseStatus }) => name.replace(/[?#].*/, "") + " answered " + responseStatus);
  window.__aapdDoctor = () => ({
    frames: framesIn(document).map(measure),
    framesRemoved,
    announced,
    errors: [...refusals(), ...errors],
    isReact: document.querySelector("#root, #__next") !== null,
  });
}`;
