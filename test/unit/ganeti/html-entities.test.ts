import { expect, it } from 'vitest';
import { decodeHtmlEntities } from '../../../src/ganeti/html-entities.ts';

it.each([
  ['doesn&#x27;t', "doesn't"],
  ['(&quot;a&quot;, &lt;b&gt;)', '("a", <b>)'],
  ['a &amp; b', 'a & b'],
  // What was escaped once is decoded once.
  ['&amp;lt;', '&lt;'],
  ['&amp;#x27;', '&#x27;'],
  // Not one of the five.
  ['&nbsp;&#39;&apos;', '&nbsp;&#39;&apos;'],
  ['', ''],
])('%s is %s', (escaped, text) => {
  expect(decodeHtmlEntities(escaped)).toBe(text);
});
