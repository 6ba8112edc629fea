/** The browsers inside of Facebook, Instagram and Google's app, by their name: they open no window, so that a link opens in place. */
export const OPENS_NO_WINDOW = /FBA|Insta|GSA/;
