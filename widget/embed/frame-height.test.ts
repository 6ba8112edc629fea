import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { reportHeight } from "./frame-height.ts";

const observed: { callback: () => void; elements: Element[]; isDisconnected: boolean }[] = [];
let paint: FrameRequestCallback[] = [];

beforeEach(() => {
  observed.length = 0;
  paint = [];
  vi.stubGlobal(
    "ResizeObserver",
    class {
      readonly #record;
      constructor(callback: () => void) {
        this.#record = { callback, elements: [] as Element[], isDisconnected: false };
        observed.push(this.#record);
      }
      observe = (element: Element): void => {
        this.#record.elements.push(element);
      };
      disconnect = (): void => {
        this.#record.isDisconnected = true;
      };
    },
  );
  vi.stubGlobal("requestAnimationFrame", (callback: FrameRequestCallback) => paint.push(callback));
  vi.stubGlobal("cancelAnimationFrame", (handle: number) => paint.splice(handle - 1, 1));
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const start = () => {
  const element = document.createElement("div");
  let height = 0;
  element.getBoundingClientRect = () => new DOMRect(0, 0, 320, height);
  const heights: number[] = [];
  const stop = reportHeight({ element, onHeight: (reported) => heights.push(reported) });
  return {
    element,
    heights,
    stop,
    resize: (newHeight: number): void => {
      height = newHeight;
      observed[0]?.callback();
    },
    nextFrame: (): void => {
      for (const callback of paint.splice(0)) callback(0);
    },
  };
};

it("the frame measures only the wrapper of all content", () => {
  const { element } = start();
  expect(observed.map(({ elements }) => elements)).toEqual([[element]]);
});

it("several changes within one animation frame are reported as one height, the last", () => {
  const { heights, resize, nextFrame } = start();
  resize(300);
  resize(700.4);
  expect(heights).toEqual([]);
  nextFrame();
  expect(heights).toEqual([701]);
});

it("the reported height grows by one pixel but never shrinks by one, so the frame does not flicker", () => {
  const { heights, resize, nextFrame } = start();
  for (const height of [700, 699, 700, 701, 700, 699]) {
    resize(height);
    nextFrame();
  }
  expect(heights).toEqual([700, 701, 699]);
});

it("no height is reported after the end", () => {
  const { heights, resize, nextFrame, stop } = start();
  resize(300);
  stop();
  nextFrame();
  expect(heights).toEqual([]);
  expect(observed[0]?.isDisconnected).toBe(true);
});
