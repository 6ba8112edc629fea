import { vi } from "vitest";
import { mountCheckout } from "../../../embed/index.ts";

/** Simulates the network, which the tests' DOM lacks: holds back the kit's script until a test releases it. */
export function holdKitScript(): {
  readonly sources: () => readonly string[];
  readonly letLoad: () => Promise<void>;
} {
  const scripts: HTMLScriptElement[] = [];
  vi.spyOn(document.head, "append").mockImplementation((node) => {
    if (node instanceof HTMLScriptElement) scripts.push(node);
  });
  return {
    sources: () => scripts.map(({ src }) => src),
    letLoad: async () => {
      window.Aapd = { mountCheckout };
      for (const script of scripts.splice(0)) script.dispatchEvent(new Event("load"));
      // Runs everything that waited for the kit.
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
  };
}
