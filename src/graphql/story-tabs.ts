import { readFileSync } from 'node:fs';
import { encodeGlobalId } from './global-id.ts';

/** A document with a sentence on what it shows. */
export interface StoryTab {
  readonly title: string;
  readonly document: string;
  readonly variables: Record<string, unknown>;
}

interface TabFile {
  readonly title: string;
  readonly file: string;
  readonly variables?: Record<string, unknown>;
}

/** Beside src/ and dist/ alike. */
const DOCUMENTS = new URL('../../schema/documents/', import.meta.url);

/**
 * The documents that GraphiQL opens with, in the order in which they tell the story. Ids stand in `tabs.json` as they
 * read, `Flavor:1`: those of the first rows, which a demonstration has from its start.
 */
export function storyTabs(): StoryTab[] {
  const read = (file: string) => readFileSync(new URL(file, DOCUMENTS), 'utf8');
  const tabs = JSON.parse(read('tabs.json'), (_key, value: unknown) => asGlobalId(value)) as TabFile[];
  return tabs.map(({ title, file, variables = {} }) => ({ title, document: read(file), variables }));
}

function asGlobalId(value: unknown): unknown {
  const match = typeof value === 'string' ? /^([A-Z][A-Za-z]+):(\d+)$/.exec(value) : null;
  return match ? encodeGlobalId(match[1] as string, match[2] as string) : value;
}
