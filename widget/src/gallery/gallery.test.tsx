import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { App } from "../app.tsx";
import { FaultBoundary } from "../fault-boundary.tsx";
import { ProblemPage } from "../problem-page.tsx";
import { loadWords } from "../words/load-words.ts";
import { createGalleryParts, createGalleryReturning, createGallerySelfService } from "./gallery-parts.ts";
import { showState } from "./show-state.ts";
import { GALLERY_STATES } from "./states.ts";

it("every state has a unique name", () => {
  const names = GALLERY_STATES.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe.each(["es-CL", "en"] as const)("in %s", (locale) => {
  it.each(GALLERY_STATES.map((state) => [state.name, state] as const))("%s renders", async (_name, state) => {
    const opening = state.opening ?? {};
    const content = { ...state.page(locale), framed: false, unseen: false };
    const words = await loadWords(locale);
    const { container } = render(
      <FaultBoundary state={content} words={words} onReload={() => undefined}>
        <App
          state={content}
          token=""
          parts={{ ...createGalleryParts(state), opening }}
          ProblemPage={ProblemPage}
          selfService={createGallerySelfService(state)}
          returning={createGalleryReturning(state)}
          words={words}
          loadWords={loadWords}
          page={{ reload: () => undefined, openToken: () => undefined }}
        />
      </FaultBoundary>,
      // One state shows the screen after a bug.
      { onCaughtError: () => undefined },
    );
    await showState(container, state);
    expect((await screen.findAllByRole("heading", { level: 1 }))[0]?.textContent).not.toBe("");
    if (state.isSent === true) expect(screen.getByRole("alert").querySelectorAll("a").length).toBeGreaterThan(0);
  });
});
