import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sendError } from './respond.ts';

/** A tab that GraphiQL opens for a visitor who has none of his own yet. */
export interface GraphiQLTab {
  /** Written above the document as a comment; the tab itself is named after the operation. */
  title?: string;
  document: string;
  variables?: object;
}

/** The page behind `/graphql` in a browser, and what it loads. */
export interface GraphiQL {
  page(response: ServerResponse): void;
  /** Answers `/graphiql/…`. */
  asset(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** The strings that `@graphql-yoga/render-graphiql` bundles: 9 MB, so they are read when the first page is opened. */
interface Bundle {
  js: string;
  css: string;
  editorWorkerService: string;
  jsonWorker: string;
  graphqlWorker: string;
}

interface Asset {
  type: string;
  text: string;
  compressed?: Promise<Buffer>;
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f3a5f"/>' +
  '<path d="M16 5l9.5 5.5v11L16 27l-9.5-5.5v-11z" fill="none" stroke="#7fd1ae" stroke-width="2"/>' +
  '<circle cx="16" cy="16" r="3.5" fill="#7fd1ae"/></svg>';

/**
 * Starts GraphiQL from the JSON in the page. The first tab's variables are a property of their own, since GraphiQL shows
 * those of `defaultTabs` only when one changes the tab; and only without stored tabs, where it would open one more.
 */
const START = `
const options = JSON.parse(document.getElementById('options').textContent);
self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => options.assets + 'worker-' + label + '.js' };
if (!localStorage.getItem('graphiql:tabState')) options.variables = options.defaultTabs?.[0]?.variables;
YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), options);
`;

/**
 * GraphiQL 5's tabs can be dragged, and their animation is still at its start when the page is ready: the click that should
 * change the tab for the first time lands on another one. Without the animation it lands where it looks.
 */
const STYLE = 'html, body, #root { height: 100%; margin: 0 } .graphiql-tab { transform: none !important }';

/** `unsafe-inline` for styles only: the editor writes style elements. Nothing can be fetched from another host. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self' ws: wss:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * GraphiQL with everything it needs served by us, since a management network has no internet. The bundle comes from
 * `@graphql-yoga/render-graphiql`; its own renderer puts all 9 MB into each page, so the page is ours and the parts are
 * assets that a browser keeps. Subscriptions use WebSockets, as the clients of this API do.
 */
export function createGraphiQL(options: { title: string; tabs: readonly GraphiQLTab[] }): GraphiQL {
  let assets: Map<string, Asset> | undefined;
  let directory = '';

  function load(): Map<string, Asset> {
    if (assets) return assets;
    const require = createRequire(import.meta.url);
    const { js, css, editorWorkerService, jsonWorker, graphqlWorker } =
      require('@graphql-yoga/render-graphiql/graphiql') as Bundle;
    const script = 'text/javascript; charset=utf-8';
    assets = new Map<string, Asset>([
      ['graphiql.js', { type: script, text: js }],
      ['start.js', { type: script, text: START }],
      ['worker-editorWorkerService.js', { type: script, text: editorWorkerService }],
      ['worker-json.js', { type: script, text: jsonWorker }],
      ['worker-graphql.js', { type: script, text: graphqlWorker }],
      ['graphiql.css', { type: 'text/css; charset=utf-8', text: css }],
      ['icon.svg', { type: 'image/svg+xml', text: LOGO }],
    ]);
    const hash = createHash('sha256');
    for (const { text } of assets.values()) hash.update(text);
    directory = `/graphiql/${hash.digest('hex').slice(0, 12)}/`;
    return assets;
  }

  return {
    page(response) {
      load();
      const html = renderPage(options.title, options.tabs, directory);
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-length': Buffer.byteLength(html),
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      });
      response.end(html);
    },
    async asset(request, response) {
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      const asset = load().get(path.slice(path.lastIndexOf('/') + 1));
      if (!asset || !path.startsWith(directory)) return sendError(response, 404, 'NOT_FOUND', 'There is nothing here.');
      const isGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
      if (isGzip) asset.compressed ??= promisify(gzip)(asset.text);
      const body = (isGzip && (await asset.compressed)) || Buffer.from(asset.text);
      response.writeHead(200, {
        'content-type': asset.type,
        'content-length': body.byteLength,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
      });
      response.end(request.method === 'HEAD' ? undefined : body);
    },
  };
}

function renderPage(title: string, tabs: readonly GraphiQLTab[], directory: string): string {
  const settings = {
    assets: directory,
    endpoint: '/graphql',
    title,
    logo: LOGO,
    subscriptionsProtocol: 'WS',
    additionalHeaders: { 'x-graphql-yoga-csrf': 'graphiql' },
    defaultTabs: tabs.map((tab) => ({
      query: tab.title ? `# ${tab.title.replaceAll('\n', '\n# ')}\n${tab.document}` : tab.document,
      variables: tab.variables ? JSON.stringify(tab.variables, null, 2) : '',
    })),
  };
  // A document may contain "</script>".
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${directory}icon.svg">
<link rel="stylesheet" href="${directory}graphiql.css">
<style>${STYLE}</style>
</head>
<body class="no-focus-outline">
<noscript>GraphiQL needs JavaScript.</noscript>
<div id="root"></div>
<script id="options" type="application/json">${json}</script>
<script src="${directory}graphiql.js"></script>
<script src="${directory}start.js"></script>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
