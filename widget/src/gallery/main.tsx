import { appearanceSchema, localeSchema, originSchema } from "bff/contract/widget-tokens";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { connectToHost } from "../../embed/frame-side.ts";
import checkoutPage from "../../index.html?raw";
import { App } from "../app.tsx";
import "../design/base.css";
import type { ConnectHost } from "../checkout/use-host.ts";
import { FaultBoundary } from "../fault-boundary.tsx";
import { ProblemPage } from "../problem-page.tsx";
import { loadWords } from "../words/load-words.ts";
import { imitateDevice } from "./device.ts";
import { GalleryIndex } from "./gallery-index.tsx";
import { createGalleryParts, createGalleryReturning, createGallerySelfService } from "./gallery-parts.ts";
import type { GalleryState } from "./gallery-state.ts";
import { withLongContent } from "./long-content.ts";
import { reportHeight } from "./report-height.ts";
import { showState } from "./show-state.ts";
import { GALLERY_STATES } from "./states.ts";

/*
 * One state of one screen by its address: `gallery.html?state=card-declined&locale=en&scheme=dark&accent=%23123456`
 * (also `radius`, `font`, `density` and `labels`). Without a state: the list of all of them. The real widget renders
 * recorded answers; `content=long` lengthens them, and `text`, `contrast` and `motion` imitate a patient's device. With
 * `parent_origin` it speaks to the kit on a page of that origin, as the checkout does. With `viewer` it reports its
 * height to a page of that origin. Nothing here is a secret.
 */
/** Many states are shown next to each other in frames, so none may take the focus or scroll the page by itself. */
function leaveFocusToThePage(): void {
  HTMLElement.prototype.focus = () => undefined;
  // Chromium focuses a field whose text a script selects.
  HTMLInputElement.prototype.select = () => undefined;
}

async function start(element: HTMLElement): Promise<void> {
  const query = new URLSearchParams(location.search);
  const named = GALLERY_STATES.find((each) => each.name === query.get("state"));
  const state = named !== undefined && query.get("content") === "long" ? withLongContent(named) : named;
  // One state shows the screen after a bug, so its console errors are expected.
  const root = createRoot(element, { onCaughtError: () => undefined });
  if (state === undefined) return root.render(<GalleryIndex states={GALLERY_STATES} />);
  const locale = localeSchema.safeParse(query.get("locale")).data ?? "es-CL";
  const parentOrigin = originSchema.safeParse(query.get("parent_origin")).data;
  const viewer = originSchema.safeParse(query.get("viewer")).data;
  const parts = createGalleryParts(state, connectionTo(parentOrigin));
  const content = { ...pageOf(state.page(locale), query), framed: parentOrigin !== undefined, unseen: false };
  const words = await loadWords(locale);
  root.render(
    <StrictMode>
      <FaultBoundary state={content} words={words} onReload={() => undefined}>
        <App
          state={content}
          token=""
          parts={{ ...parts, opening: state.opening ?? {} }}
          ProblemPage={ProblemPage}
          selfService={createGallerySelfService(state)}
          returning={createGalleryReturning(state)}
          words={words}
          loadWords={loadWords}
          page={{ reload: () => undefined, openToken: () => undefined }}
        />
      </FaultBoundary>
    </StrictMode>,
  );
  if (state.isUnopened === true) element.after(unopenedNotice());
  imitateDevice(query);
  if (viewer !== undefined) reportHeight(viewer);
  await showState(element, state);
  document.documentElement.dataset.galleryState = "shown";
}

function connectionTo(parentOrigin: string | undefined): ConnectHost | undefined {
  if (parentOrigin === undefined) return undefined;
  return ({ onMessage }) => connectToHost({ window, parentOrigins: [parentOrigin], onMessage });
}

/** The browser's own, if available. TypeScript does not know it yet. */
interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string }): { createHTML(text: string): string };
}

/** The notice of the checkout's page when its scripts fail to load. */
function unopenedNotice(): Element {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  const html = trustedTypes?.createPolicy("gallery", { createHTML: (text) => text }).createHTML(checkoutPage);
  const notice = new DOMParser().parseFromString(html ?? checkoutPage, "text/html").getElementById("aapd-unopened");
  if (notice === null) throw new Error("the page says nothing where its scripts do not come");
  notice.hidden = false;
  return notice;
}

type Page = ReturnType<GalleryState["page"]>;

/** The page with the appearance that the URL requests, as if a provider had set it. */
function pageOf(page: Page, query: URLSearchParams): Page {
  if ("problem" in page) return page;
  const look = {
    accent: query.get("accent") ?? undefined,
    radius: query.get("radius") ?? undefined,
    font: query.get("font") ?? undefined,
    color_scheme: query.get("scheme") ?? undefined,
    density: query.get("density") ?? undefined,
    labels: query.get("labels") ?? undefined,
  };
  const appearance = appearanceSchema.safeParse(look);
  if (!appearance.success) return page;
  const looking = <Provider,>(provider: Provider) => ({ ...provider, appearance: appearance.data });
  if ("session" in page) return { session: { ...page.session, provider: looking(page.session.provider) } };
  const { returned } = page;
  return returned.provider === null ? page : { returned: { ...returned, provider: looking(returned.provider) } };
}

const element = document.getElementById("app");
if (window !== window.parent) leaveFocusToThePage();
if (element !== null) void start(element);
