import { connectToHost, type FrameStatement, type HostConnection } from "../frame-side.ts";
import type { HostMessage } from "../protocol.ts";
import { createTwoWindows, FRAME_ORIGIN, HOST_ORIGIN, settle, type TwoWindows } from "./two-windows.ts";

export const CHECKOUT_URL = `${FRAME_ORIGIN}/?widget_token=token-1&public_key=PK_1&order_token=order-1`;

/** A document of the checkout inside the iframe, using the real frame side of the protocol. */
export type StagedFrame = HostConnection & { heard: HostMessage[] };

export type Stage = {
  windows: TwoWindows;
  container: HTMLElement;
  iframe: () => HTMLIFrameElement;
  dialog: () => HTMLDialogElement;
  failure: () => Element | null;
  /** Loads a new document into the frame; it connects, sends `statements`, and fires the iframe's `load`. */
  loadFrame: (...statements: FrameStatement[]) => Promise<StagedFrame>;
};

export const READY: FrameStatement = { type: "ready", payload: {} };
export const PAID: FrameStatement = {
  type: "completed",
  payload: { kind: "payment", order_token: "order-1", status: "paid", signed_receipt: null },
};

const find = <Found extends Element>(container: Element, type: new () => Found, selector: string): Found => {
  const found = container.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`There is no ${selector} in the container.`);
  return found;
};

// The tests' DOM would load a page for every inserted iframe. Here the test plays that page.
for (const symbol of Object.getOwnPropertySymbols(HTMLIFrameElement.prototype)) {
  if (symbol.description === "connectedToDocument") Reflect.deleteProperty(HTMLIFrameElement.prototype, symbol);
}

/** A page's element and the windows around it. The DOM of the tests loads no pages: `loadFrame` simulates it. */
export const setStage = (container: HTMLElement = document.createElement("div")): Stage => {
  const windows = createTwoWindows(window);
  if (!container.isConnected) document.body.append(container);
  const iframe = (): HTMLIFrameElement => {
    const frame = find(container, HTMLIFrameElement, "iframe");
    Object.defineProperty(frame, "contentWindow", { value: windows.frameProxy, configurable: true });
    return frame;
  };
  return {
    windows,
    container,
    iframe,
    dialog: () => find(container, HTMLDialogElement, "dialog"),
    failure: () => container.querySelector('[role="alert"]'),
    loadFrame: async (...statements) => {
      const frame = iframe();
      windows.replaceDocument();
      const heard: HostMessage[] = [];
      const connection = connectToHost({
        window: windows.frameWindow(),
        parentOrigins: [HOST_ORIGIN],
        onMessage: (message) => heard.push(message),
      });
      for (const statement of statements) connection.send(statement);
      await settle();
      frame.dispatchEvent(new Event("load"));
      await settle();
      return { ...connection, heard };
    },
  };
};

/** The rules that were added to the page, as text. */
export const adoptedRules = (): string =>
  document.adoptedStyleSheets
    .flatMap((sheet) => [...sheet.cssRules])
    .map(({ cssText }) => cssText)
    .join("\n");
