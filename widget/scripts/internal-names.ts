/**
 * Properties that only the kit's own objects have, which its build shortens. Never list a name of the platform, the
 * page, the wire or another file of the kit, nor one that two versions of the kit share on a page.
 */
export const INTERNAL_NAMES = [
  "attach",
  "begin",
  "detach",
  "fail",
  "forget",
  "fulfil",
  "giveUp",
  "greeting",
  "loaded",
  "onAnnounced",
  "onDismissed",
  "onFailed",
  "onLoad",
  "onMessage",
  "onOtherVersion",
  "onRetry",
  "place",
  "receive",
  "retry",
  "setHeight",
  "setLocale",
  "setModal",
  "setScheme",
  "setState",
];
