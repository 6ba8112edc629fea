import { expect, it } from "vitest";
import { asBackground, asRequest, createBackgroundPlaces, enterQueue } from "./callers.ts";
import { DatabaseUnavailable } from "./database/errors.ts";

const full = { waiting: 5, waitingMax: 5 };
const roomy = { waiting: 4, waitingMax: 5 };

it("a request that has had no connection is refused when the queue is full", () => {
  asRequest(() => expect(() => enterQueue(full)).toThrow(DatabaseUnavailable));
});

it("a request that has had a connection is never refused", () => {
  asRequest(() => {
    enterQueue(roomy);
    expect(() => enterQueue(full)).not.toThrow();
  });
});

it("work outside of a request is never refused", () => {
  expect(() => enterQueue(full)).not.toThrow();
});

/** Starts so many pieces of background work that each hold a place until `end` is called. */
async function holdPlaces(places: ReturnType<typeof createBackgroundPlaces>, count: number) {
  let holding = 0;
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const works = Array.from({ length: count }, () =>
    asBackground(async () => {
      const release = await places.take();
      holding += 1;
      await over;
      release();
    }),
  );
  await new Promise((resolve) => setImmediate(resolve));
  return { holding: () => holding, end: () => end(), works };
}

it("background work waits for a place until other background work gives one up", async () => {
  const places = createBackgroundPlaces(2);
  const held = await holdPlaces(places, 5);
  expect(held.holding()).toBe(2);
  held.end();
  await Promise.all(held.works);
  expect(held.holding()).toBe(5);
});

it("a request never waits for a place, even if background work holds all of them", async () => {
  const places = createBackgroundPlaces(1);
  const held = await holdPlaces(places, 3);
  const entered = await new Promise<boolean>((resolve) =>
    asRequest(() => {
      void places.take().then(() => resolve(true));
    }),
  );
  expect(entered).toBe(true);
  held.end();
  await Promise.all(held.works);
});

it("background work that holds a place gets another at once and so never waits for itself", async () => {
  const places = createBackgroundPlaces(1);
  await asBackground(async () => {
    const release = await places.take();
    (await places.take())();
    release();
  });
});

it("background work that needs several places waits for all of them together", async () => {
  const places = createBackgroundPlaces(1);
  const held = await holdPlaces(places, 1);
  let taken = 0;
  const work = asBackground(() =>
    Promise.all(
      [1, 2, 3].map(async () => {
        const release = await places.take();
        taken += 1;
        release();
      }),
    ),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(taken).toBe(0);
  held.end();
  await work;
  expect(taken).toBe(3);
});

it("background work that holds a place at a gateway still waits for one at the database", async () => {
  const [gateway, database] = [createBackgroundPlaces(1), createBackgroundPlaces(1)];
  const other = await holdPlaces(database, 1);
  let hasBoth = false;
  const work = asBackground(async () => {
    const leave = await gateway.take();
    (await database.take())();
    hasBoth = true;
    leave();
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasBoth).toBe(false);
  other.end();
  await Promise.all([work, ...other.works]);
  expect(hasBoth).toBe(true);
});
