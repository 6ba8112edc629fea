import { expect, it } from "vitest";
import { DatabaseUnavailable } from "./errors.ts";
import { asRequest, enterQueue } from "./queue-of-requests.ts";

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

it("work that belongs to no request is never refused", () => {
  expect(() => enterQueue(full)).not.toThrow();
});
