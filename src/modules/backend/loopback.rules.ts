/** Whether a URL's host is this machine itself, as seen from this machine. */
export function isLoopbackUrl(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : '';
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
