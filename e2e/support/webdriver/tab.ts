import type { Wire } from "./wire.ts";

/** How W3C WebDriver names an element in JSON. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
type Element = { readonly [ELEMENT]: string };

/** How an element is found: by its visible words, in the selected document. */
export interface Wanted {
  readonly what: "button" | "field" | "heading" | "text";
  /** The whole text of a heading or label, the beginning of a button's text, or any part of another text. */
  readonly words: string;
}

/** Keys other than letters, as WebDriver encodes them. */
export const KEYS = { tab: "\uE004", enter: "\uE007" } as const;

/** A screen takes a while on a busy machine. A missing one still fails. */
const SEEN_WITHIN_MS = 60_000;
const PAUSE_MS = 100;

/** One page in a browser, and its selected frame. */
export class Tab {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  async open(url: string): Promise<void> {
    await this.#wire.send("open", { url });
  }

  /** Runs the body of a function in the selected document. */
  run(body: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#wire.send("execute", { script: body, args });
  }

  /** Selects the page, or the nested frame that these selectors name. */
  async enter(...selectors: readonly string[]): Promise<void> {
    await this.until(`a frame ${selectors.join(" ")}`, async () => {
      await this.#wire.send("switchToFrame", { id: null });
      for (const selector of selectors) {
        const frame = await this.run("return document.querySelector(arguments[0]);", selector);
        if (frame === null) return false;
        await this.#wire.send("switchToFrame", { id: frame });
      }
      return true;
    });
  }

  async see(wanted: Wanted): Promise<void> {
    await this.#element(wanted);
  }

  /** A real press. It is repeated only if it missed the button, because the page was resizing the frame. */
  async press(words: string): Promise<void> {
    await this.until(`a press of ${words}`, async () => {
      const button = await this.#element({ what: "button", words });
      await this.run(AWAIT_PRESS, button);
      await this.#wire.send("click", { id: button[ELEMENT] });
      // If the frame is gone or has another document, the press has closed it.
      return (await this.run("return window.wasPressed;").catch(() => undefined)) !== false;
    });
  }

  /**
   * Presses a field, because WebKit does not focus a frame that was not pressed, and replaces its content by typing.
   */
  async type(words: string, text: string): Promise<void> {
    await this.until(`the field ${words} that can be typed into`, async () => {
      const { [ELEMENT]: id } = await this.#element({ what: "field", words });
      await this.#wire.send("click", { id });
      await this.#wire.send("clear", { id });
      await this.#wire.send("type", { id, text });
      return true;
    });
  }

  /** Chooses an option of a list by pressing the option itself, as WebDriver requires. */
  async choose(words: string, option: string): Promise<void> {
    await this.until(`the option ${option}`, async () => {
      const list = await this.#element({ what: "field", words });
      const wanted = "return [...arguments[0].options].find(({ label }) => label === arguments[1]);";
      const { [ELEMENT]: id } = (await this.run(wanted, list, option)) as Element;
      await this.#wire.send("click", { id });
      return (await this.run("return arguments[0].selected;", { [ELEMENT]: id })) === true;
    });
  }

  /** Ticks every required box, and checks that it is ticked. */
  async tickRequired(): Promise<void> {
    await this.until("all boxes ticked", async () => {
      const boxes = (await this.run(UNTICKED)) as Element[];
      for (const { [ELEMENT]: id } of boxes) await this.#wire.send("click", { id });
      return boxes.length === 0;
    });
  }

  /** Repeats until it succeeds. A refusal, such as for an element that is gone, is retried too. */
  async until(what: string, ask: () => Promise<boolean>): Promise<void> {
    const until = Date.now() + SEEN_WITHIN_MS;
    let refused: unknown;
    for (;;) {
      try {
        if (await ask()) return;
      } catch (error) {
        refused = error;
      }
      if (Date.now() > until) throw new Error(`There is not ${what}: ${await this.#screen()}`, { cause: refused });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #element({ what, words }: Wanted): Promise<Element> {
    let found: unknown = null;
    await this.until(`the ${what} ${words}`, async () => {
      found = await this.run(FIND, what, words);
      return found !== null;
    });
    return found as Element;
  }

  async #screen(): Promise<string> {
    return String(await this.run("return document.body.innerText;").catch((error: unknown) => error));
  }
}

const UNTICKED =
  "return [...document.querySelectorAll('input[type=checkbox][aria-required=true]')].filter((box) => !box.checked);";

const AWAIT_PRESS = `
const [button] = arguments;
window.wasPressed = false;
button.addEventListener("click", () => { window.wasPressed = true; }, { capture: true, once: true });
`;

/** Finds a visible element by its visible text. */
const FIND = `
const [what, words] = arguments;
const selectors = { button: "button", heading: "h1", field: "input, select", text: "p, li, [role=status], [role=alert]" };
const tidy = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
const named = (element) => [...(element.labels ?? [])].map(({ textContent }) => tidy(textContent));
const fits = {
  button: (element) => element.getAttribute("aria-disabled") !== "true" && tidy(element.textContent).startsWith(words),
  heading: (element) => tidy(element.textContent) === words,
  field: (element) => named(element).some((name) => name === words),
  text: (element) => tidy(element.textContent).includes(words),
}[what];
return [...document.querySelectorAll(selectors[what])].find((element) => element.getClientRects().length > 0 && fits(element)) ?? null;
`;
