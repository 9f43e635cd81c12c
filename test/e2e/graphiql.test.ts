import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserPage, findChromium, openBrowserPage } from '../support/browser.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startTestProduct, type TestProduct } from '../support/product.ts';

// What README promises on one screen: a subscription one click away, and the mutation that makes it move.
describe.skipIf(!findChromium())('GraphiQL for a new user', () => {
  let db: TestDatabase;
  let product: TestProduct;
  let watching: BrowserPage;
  let building: BrowserPage;

  beforeAll(async () => {
    db = await createTestDatabase();
    // Slow enough that a person, and a browser on a busy machine, sees the build go on.
    product = await startTestProduct(db.url, { SIMULATOR_SPEED: '0.5' });
    // The editor renders what is in view only, and the last event is a long one.
    watching = await openBrowserPage({ width: 1_400, height: 3_000 });
    building = await openBrowserPage();
  });

  afterAll(async () => {
    await building.close();
    await watching.close();
    await product.close();
    await db.drop();
  });

  it('one click watches, one click in a second window builds, and the percentage moves', async () => {
    await open(watching, 0);
    await play(watching);
    await open(building, 1);
    await play(building);
    await until(building, (answer) => answer.includes('CreateVirtualMachineSuccess'));
    const seen: number[] = [];
    await until(watching, (answer) => {
      const percentage = /"buildPercentage": (\d+)/.exec(answer)?.[1];
      if (percentage !== undefined && seen.at(-1) !== Number(percentage)) seen.push(Number(percentage));
      if (process.env['SCREENSHOT'] && seen.length === 4)
        void watching.page.screenshot({ path: process.env['SCREENSHOT'] });
      return answer.includes('"operState": "STARTED"');
    });
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.length).toBeGreaterThan(3);
    expect(seen.at(-1)).toBe(100);
  });

  it('asked nothing of any other host', () => {
    for (const browser of [watching, building]) expect(browser.foreignRequests(product.url)).toEqual([]);
  });

  async function open(browser: BrowserPage, tab: number): Promise<void> {
    await browser.page.goto(`${product.url}/graphql`);
    const name = tab === 0 ? 'WatchVirtualMachines' : 'CreateVirtualMachine';
    await browser.page.getByRole('button', { name, exact: true }).click();
  }

  async function play(browser: BrowserPage): Promise<void> {
    await browser.page.getByRole('button', { name: /execute query/i }).click();
  }

  /** Polls what the response pane shows: the page has no event of its own for it. */
  async function until(browser: BrowserPage, isThere: (answer: string) => boolean): Promise<void> {
    const pane = browser.page.locator('.graphiql-response');
    while (!isThere(((await pane.textContent()) ?? '').replaceAll('\u00a0', ' ')))
      await browser.page.waitForTimeout(50);
  }
});
