import { describe, expect, it } from "vitest";
import { notificationExamples } from "../../sandbox/gallery/notification-examples.ts";
import { renderMessage } from "../../src/notifications/message.ts";
import { messageIsAlone } from "../../src/notifications/notification.ts";
import { listTemplates, templateOf } from "./templates.ts";

const CLINIC = "Clínica Los Aromos del Sur SpA";
const templates = listTemplates();
const messages = (["es-CL", "en"] as const).flatMap((locale) =>
  notificationExamples.flatMap((notification) => {
    const message = renderMessage(notification, CLINIC, locale);
    return message === null || messageIsAlone(notification.kind) ? [] : [{ kind: notification.kind, locale, message }];
  }),
);

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "");

it.each(messages)("the template of $kind in $locale has the words of its short message", ({ message }) => {
  const { template, language, parameters } = templateOf(message) ?? expect.unreachable();
  const same = templates.find((each) => each.name === template && each.language === language);
  const body = same?.components[0].text ?? "";
  const filled = parameters.reduce((text, { name, value }) => text.replaceAll(`{{${name}}}`, value), body);
  const beginning = language === "en" ? "About your consultation at " : "Sobre tu atencion en ";
  expect(plain(filled)).toBe(`${beginning}${plain(message.text)}`);
});

it("every template belongs to a kind of message, in both languages", () => {
  const kinds = new Set(messages.map(({ kind }) => kind));
  expect(templates).toHaveLength(2 * kinds.size);
  const sent = new Set(messages.map(({ message }) => JSON.stringify(templateOf(message)?.template)));
  expect(sent.size).toBe(kinds.size);
});

describe("a template", () => {
  it.each(templates)("$name in $language follows the rules of Meta", ({ name, components: [{ text, example }] }) => {
    expect(name).toMatch(/^[a-z0-9_]{1,512}$/);
    expect(text.length).toBeLessThanOrEqual(1_024);
    expect(text).toMatch(/^\p{L}.*\.$/u);
    const values = [...text.matchAll(/\{\{([a-z_]+)\}\}/g)].map(([, value]) => value);
    expect(new Set(values).size).toBe(values.length);
    expect(example.body_text_named_params.map(({ param_name }) => param_name)).toEqual(values);
    for (const { param_name, example: value } of example.body_text_named_params) expect(value).not.toBe(param_name);
    const words = text.replace(/\{\{[a-z_]+\}\}/g, "").match(/\p{L}+/gu) ?? [];
    expect(words.length).toBeGreaterThan(2 * values.length);
  });

  it("has no value that the message does not have", () => {
    const [{ message }] = messages as [(typeof messages)[number]];
    const { clinic: _left, ...values } = message.values ?? {};
    expect(templateOf({ ...message, values })).toBeNull();
    expect(templateOf({ ...message, values: { ...message.values, more: "1" } })).toBeNull();
    expect(templateOf({ template: undefined })).toBeNull();
  });
});

it("the one-time code has no template: Meta's form for codes does not name the payment", () => {
  const code = notificationExamples.find(({ kind }) => kind === "recognition_code");
  const message = code && renderMessage(code, CLINIC, "es-CL");
  expect(message && templateOf(message)).toBeNull();
});
