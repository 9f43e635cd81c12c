import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Where distributions put it; `CHROMIUM_PATH` comes first. */
const CANDIDATES = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Keeps the browser to the page under test: no sandbox inside containers, and none of its own traffic. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of a Chromium on this machine, or undefined: tests that need one are then skipped. */
export function findChromium(): string | undefined {
  return CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
}

/** One page of a browser of its own, and what it asked of the network. */
export interface BrowserPage {
  page: Page;
  /** The URL of every request and every WebSocket so far, in order; `data:` and `blob:` among them. */
  requests: string[];
  /** Errors of the page's scripts and of its console. */
  problems: string[];
  /** The requests that left for anything but `origin`, such as `http://127.0.0.1:4000`. */
  foreignRequests(origin: string): string[];
  close(): Promise<void>;
}

/**
 * Starts a headless Chromium with an empty profile and opens one page in it.
 *
 * @throws Error when there is no Chromium; ask {@link findChromium} first.
 */
export async function openBrowserPage(
  viewport: { width: number; height: number } = { width: 1_400, height: 900 },
): Promise<BrowserPage> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('There is no Chromium here; set CHROMIUM_PATH.');
  const browser: Browser = await chromium.launch({ executablePath, args: FLAGS });
  const context = await browser.newContext({ viewport });
  const requests: string[] = [];
  const problems: string[] = [];
  // On the context, so that workers and pop-ups count as well.
  context.on('request', (request) => requests.push(request.url()));
  const page = await context.newPage();
  // GraphiQL is 5 MB of script; a machine that is busy with other tests takes its time over it.
  page.setDefaultTimeout(90_000);
  page.on('websocket', (socket) => requests.push(socket.url()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  return {
    page,
    requests,
    problems,
    foreignRequests(origin) {
      const { host } = new URL(origin);
      return requests.filter((url) => !/^(data|blob):/.test(url) && new URL(url).host !== host);
    },
    close: () => browser.close(),
  };
}
