import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BrowserPage, findChromium, openBrowserPage } from '../../support/browser.ts';
import { eventually, startToy, type Toy } from './toy.ts';

let toy: Toy;

beforeAll(async () => {
  toy = await startToy({
    tabs: [
      {
        title: 'Press the button: the numbers move.',
        document: 'subscription Watch($count: Int) {\n  ticks(count: $count)\n}\n',
        variables: { count: 1_000_000 },
      },
      { document: 'query Greet {\n  hello(name: "</script>")\n}\n' },
      { document: 'mutation Touch {\n  touch\n}\n' },
    ],
  });
});

afterAll(() => toy.close(500));

test('everything the page names is served here, and may be kept by browsers', async () => {
  const response = await fetch(`${toy.url}/graphql`, { headers: { accept: 'text/html' } });
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const html = await response.text();
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  const assets = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  expect(assets).toHaveLength(4);
  for (const path of assets) {
    const asset = await fetch(`${toy.url}${path}`);
    expect([asset.status, asset.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(asset.headers.get('cache-control')).toContain('immutable');
    expect((await asset.text()).length).toBeGreaterThan(100);
  }
  expect((await fetch(`${toy.url}/graphiql/other/graphiql.js`)).status).toBe(404);
});

test('the page can be switched off', async () => {
  const bare = await startToy({ graphiql: false });
  const response = await fetch(`${bare.url}/graphql`, { headers: { accept: 'text/html' } });
  expect(response.headers.get('content-type')).toContain('application/json');
  await bare.close(500);
});

describe.skipIf(!findChromium())('in a browser', () => {
  let browser: BrowserPage;

  beforeAll(async () => {
    browser = await openBrowserPage();
  });

  afterAll(() => browser.close());

  test('the first tab is a subscription that runs at one click, and nothing leaves the host', {
    timeout: 180_000,
  }, async () => {
    const { page } = browser;
    await page.goto(`${toy.url}/graphql`);
    const tabs = page.getByRole('tab');
    await eventually(() => tabs.allInnerTexts()).toEqual(['Watch', 'Greet', 'Touch']);

    await page.getByRole('button', { name: /execute query/i }).click();
    const response = page.locator('.graphiql-response');
    // The editor shows spaces as no-break spaces.
    const answer = async () => (await response.textContent())?.replaceAll('\u00a0', ' ') ?? '';
    const ticks = async () => Number(/"ticks": (\d+)/.exec(await answer())?.[1]);
    await eventually(ticks).toBeGreaterThan(5);
    const before = await ticks();
    await eventually(ticks).toBeGreaterThan(before);
    expect(toy.openStreams()).toBe(1);
    expect(browser.requests).toContain(`${toy.url.replace('http', 'ws')}/graphql`);
    if (process.env.SCREENSHOT) await page.screenshot({ path: process.env.SCREENSHOT });

    await page.getByRole('button', { name: /stop query/i }).click();
    await eventually(() => toy.openStreams()).toBe(0);

    await page.getByRole('button', { name: 'Greet', exact: true }).click();
    await page.getByRole('button', { name: /execute query/i }).click();
    await eventually(answer).toContain('hello </script>');

    await page.reload();
    await eventually(() => tabs.count()).toBe(3);
    expect(browser.foreignRequests(toy.url)).toEqual([]);
    expect(browser.problems).toEqual([]);
  });
});
