/**
 * Properties that only the kit's own objects have. Its build shortens them. The platform, the page, the wire and the
 * kit's other files must not use these names, nor may two versions of the kit share an object that has them.
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
  "halt",
  "loaded",
  "onAnnounced",
  "onClosing",
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
  "succeed",
];
