export function GalleryPage(_: { readonly widgetHostUrl: string; readonly settings: URLSearchParams }) {
  return null;
}
