/**
 * Undoes Python's `html.escape(quote=True)`, through which RAPI passes the `message` of every HTTP error. Exactly its five
 * entities, once, `&amp;` last, so that `&amp;lt;` becomes `&lt;`. Job results and logs are not escaped: never pass them here.
 */
export function decodeHtmlEntities(text: string): string {
  return text
    .replaceAll('&#x27;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
