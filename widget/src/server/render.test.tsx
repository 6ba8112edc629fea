import { act, screen } from "@testing-library/react";
import { localeOf, type PageContent, type PageState } from "bff/contract/widget-page";
import { StrictMode } from "react";
import { hydrateRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFakeHost } from "../../test/fake-host.ts";
import { createFakeService } from "../../test/fake-service.ts";
import { partsFor } from "../../test/open-checkout.tsx";
import { App } from "../app.tsx";
import type { ConnectHost } from "../checkout/use-host.ts";
import { FaultBoundary } from "../fault-boundary.tsx";
import { createGalleryReturning, createGallerySelfService } from "../gallery/gallery-parts.ts";
import { BILL, orderWith, problemWith, sessionWith } from "../gallery/recorded-answers.ts";
import { GALLERY_STATES } from "../gallery/states.ts";
import { ProblemPage } from "../problem-page.tsx";
import { loadWords } from "../words/load-words.ts";
import { renderApp, renderStyle } from "./render.tsx";

let element = document.createElement("div");
let root: Root | null = null;

beforeEach(() => {
  element = document.createElement("div");
  document.body.append(element);
});
afterEach(() => {
  act(() => root?.unmount());
  root = null;
  element.remove();
});

const standalone = (content: PageContent): PageState => ({ ...content, framed: false, unseen: false });

/**
 * The page as it arrives, hydrated by the scripts. A difference between the two is a console.error, which fails the
 * test.
 */
async function hydrate(state: PageState, connect?: ConnectHost): Promise<void> {
  element.innerHTML = renderApp(state);
  await takeOver(state, connect);
}

async function takeOver(state: PageState, connect?: ConnectHost): Promise<void> {
  const words = await loadWords(localeOf(state));
  await act(async () => {
    root = hydrateRoot(
      element,
      <StrictMode>
        <FaultBoundary state={state} words={words} onReload={() => undefined}>
          <App
            state={state}
            token="t"
            parts={{ ...partsFor(createFakeService()), ...(connect && { connect }) }}
            ProblemPage={"problem" in state ? ProblemPage : null}
            selfService={createGallerySelfService({})}
            returning={createGalleryReturning({})}
            words={words}
            loadWords={loadWords}
            page={{ reload: () => undefined, openToken: () => undefined }}
          />
        </FaultBoundary>
      </StrictMode>,
      {
        onRecoverableError: (error) => expect.fail(`the server's markup was thrown away: ${String(error)}`),
      },
    );
  });
}

describe("the markup of the server", () => {
  it("contains the patient's own amounts before any script runs", () => {
    const html = renderApp(standalone({ session: sessionWith() }));
    for (const amount of ["$13.786", "$35.383", "$3.217", "$49.169"]) expect(html).toContain(amount);
    expect(html).toContain("5\u00a0de\u00a0enero de\u00a02027");
  });

  it("is in the session's language", () => {
    expect(renderApp(standalone({ session: sessionWith({ locale: "en" }) }))).toContain("Get care now, pay later");
  });

  it("escapes text from others", () => {
    const provider = { ...sessionWith().provider, name: '<img src=x onerror="alert(1)">' };
    expect(renderApp(standalone({ session: sessionWith({ provider }) }))).not.toContain("<img src=x");
  });

  it("contains no style attribute and no script, which the page's policy would refuse", () => {
    for (const { page } of GALLERY_STATES)
      expect(renderApp(standalone(page("es-CL")))).not.toMatch(/ style=|<script|<style| on\w+=/);
  });

  it("has the provider's colour in the first paint, and only a colour", () => {
    const styleOf = (accent: string) =>
      renderStyle(
        standalone({
          session: { ...sessionWith(), provider: { ...sessionWith().provider, appearance: { accent } } },
        }),
      );
    expect(styleOf("#6a1b9a")).toBe(".aapd-frame{--partner-accent:#6a1b9a;--partner-accent-dark:#975fb8}");
    expect(styleOf("#ffd400")).toBe("");
    expect(styleOf("red}</style><script>")).toBe("");
  });

  const pages = GALLERY_STATES.flatMap((state) =>
    (["es-CL", "en"] as const).map((locale) => [state.name, locale, state] as const),
  );
  it.each(pages)("hydrates without a difference: %s in %s", async (_name, locale, state) => {
    await hydrate(standalone(state.page(locale)));
    expect(element.querySelector("main")).not.toBeNull();
  });

  describe.each([
    ["a checkout", { session: sessionWith() }],
    ["a page without a session", { problem: problemWith("widget_token_expired") }],
  ])("look of %s", (_name, content) => {
    const lookOf = (text: string) => /data-standalone="(true|false)"/.exec(text)?.[1];

    it("matches a frame from the first paint", async () => {
      const state = { ...content, framed: true, unseen: false };
      expect(lookOf(renderApp(state))).toBe("false");
      await hydrate(state, createFakeHost().connect);
      expect(lookOf(element.innerHTML)).toBe("false");
    });

    it("becomes that of a top-level page if the server wrongly assumed a frame", async () => {
      await hydrate({ ...content, framed: true, unseen: false });
      expect(lookOf(element.innerHTML)).toBe("true");
    });
  });

  it("keeps a fold open that was opened before the scripts loaded", async () => {
    const state = standalone({ session: sessionWith({ order: orderWith({ items: BILL }) }) });
    element.innerHTML = renderApp(state);
    const fold = screen.getByText("Ver el detalle").closest("details");
    if (fold !== null) fold.open = true;
    await takeOver(state);
    expect(fold?.open).toBe(true);
    await act(async () => screen.getByRole("button", { name: "Continuar" }).click());
    await screen.findByRole("heading", { level: 1, name: "Tus datos" });
  });
});
