import { setTimeout as pause } from "node:timers/promises";
import type { Locator } from "@playwright/test";
import { type Reading, readScreen } from "../support/words-in-page.ts";

/** CSS pixels of a common phone in Chile. */
const PHONE_HEIGHT = 740;

/** The pace of a patient who knows what to do and reads nothing twice. */
const PACE_MS = { perKey: 120, perPress: 500, perMessage: 2_000 } as const;

/** The patient's actions in a visit, and the time that they took without waiting. */
export interface Done {
  fields: number;
  presses: number;
  handMs: number;
  /** The words of each screen, by its name, in order. */
  readonly screens: Map<string, Reading>;
}

/**
 * Acts as a patient's hand: types and presses at a fixed pace, and counts both. All other waiting is caused by the
 * checkout.
 */
export class Hand {
  readonly done: Done = { fields: 0, presses: 0, handMs: 0, screens: new Map() };

  async type(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    await this.#move(PACE_MS.perPress);
    this.done.fields += 1;
    this.done.handMs += text.length * PACE_MS.perKey;
    await field.pressSequentially(text, { delay: PACE_MS.perKey });
  }

  async choose(list: Locator, label: string): Promise<void> {
    await list.waitFor();
    await this.#move(PACE_MS.perPress);
    this.done.presses += 1;
    await list.selectOption({ label });
  }

  async press(button: Locator): Promise<void> {
    await button.waitFor();
    await this.#move(PACE_MS.perPress);
    this.done.presses += 1;
    await button.click();
  }

  /** Ticks the required boxes of a screen. */
  async accept(boxes: Locator): Promise<void> {
    await boxes.first().waitFor();
    for (const box of await boxes.all())
      if (await box.evaluate((input: HTMLInputElement) => input.required || input.ariaRequired === "true"))
        await this.press(box);
  }

  /** Counts a screen's words without adding to the patient's time. */
  async read(name: string, page: Locator): Promise<void> {
    this.done.screens.set(name, await page.evaluate(readScreen, PHONE_HEIGHT));
  }

  /** Looks at the telephone for new messages. */
  async readMessage(): Promise<void> {
    await this.#move(PACE_MS.perMessage);
  }

  async #move(milliseconds: number): Promise<void> {
    this.done.handMs += milliseconds;
    await pause(milliseconds);
  }
}
