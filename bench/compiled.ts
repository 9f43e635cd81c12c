/**
 * A module of the product as it runs in production: from dist/, with the types of its source.
 * `npm run bench` compiles before it measures.
 *
 * @param module path below src/, without its extension
 */
export async function compiled<Module>(module: string): Promise<Module> {
  return (await import(new URL(`../dist/${module}.js`, import.meta.url).href)) as Module;
}
