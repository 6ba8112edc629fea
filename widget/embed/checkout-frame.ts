/** Creates the frame of a checkout, detached and without an address. */
export const createFrame = (document: Document): HTMLIFrameElement =>
  Object.assign(document.createElement("iframe"), {
    className: "aapd-frame",
    allow: "payment; publickey-credentials-get",
    // The page's path stays private; the frame gets the page's origin anyway.
    referrerPolicy: "strict-origin",
    sandbox:
      "allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation allow-modals allow-downloads",
  });
