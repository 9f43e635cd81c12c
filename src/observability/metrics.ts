/** The labels of one sample; the names are those given when the metric was made. */
export type Labels<Name extends string> = Readonly<Record<Name, string>>;

/** Only goes up, `name` ends in `_total`. */
export interface Counter<Name extends string> {
  add(labels: Labels<Name>, amount?: number): void;
}

/** Goes up and down. */
export interface Gauge<Name extends string> {
  set(labels: Labels<Name>, value: number): void;
}

/** Counts observations by size; `buckets` are upper bounds in the metric's own unit. */
export interface Histogram<Name extends string> {
  observe(labels: Labels<Name>, value: number): void;
}

/** What the metrics of one process are made with and written from. */
export interface MetricsRegistry {
  counter<Name extends string = never>(name: string, help: string, labelNames?: readonly Name[]): Counter<Name>;
  gauge<Name extends string = never>(name: string, help: string, labelNames?: readonly Name[]): Gauge<Name>;
  histogram<Name extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames?: readonly Name[],
  ): Histogram<Name>;
  /** Runs `collect` before each scrape, for gauges that are cheaper to read than to keep. */
  beforeScrape(collect: () => void | Promise<void>): void;
  /** The Prometheus text format, version 0.0.4. */
  scrape(): Promise<string>;
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function labelText(names: readonly string[], labels: Readonly<Record<string, string>>): string {
  return names.map((name) => `${name}="${escapeLabel(labels[name] ?? '')}"`).join(',');
}

function braces(text: string): string {
  return text === '' ? '' : `{${text}}`;
}

interface Distribution {
  /** Per bucket, not yet accumulated: one increment per observation. */
  counts: number[];
  sum: number;
  total: number;
}

/**
 * A registry small enough to read in a minute. It is ours because the usual client brings default collectors, push gateways
 * and a global registry that tests have to reset; the text format is all that is needed.
 */
export function createMetricsRegistry(): MetricsRegistry {
  const writers = new Map<string, () => string[]>();
  const collectors: (() => void | Promise<void>)[] = [];

  function register(name: string, type: string, help: string, samples: () => string[]): void {
    if (!NAME.test(name)) throw new Error(`"${name}" is not a metric name`);
    if (writers.has(name)) throw new Error(`the metric ${name} is already registered`);
    const head = [`# HELP ${name} ${help.replaceAll('\n', ' ')}`, `# TYPE ${name} ${type}`];
    writers.set(name, () => [...head, ...samples()]);
  }

  function plain(name: string, type: string, help: string, names: readonly string[]): Map<string, number> {
    const values = new Map<string, number>();
    register(name, type, help, () => [...values].map(([labels, value]) => `${name}${braces(labels)} ${value}`));
    if (names.length === 0) values.set('', 0);
    return values;
  }

  return {
    counter(name, help, names = []) {
      const values = plain(name, 'counter', help, names);
      return {
        add(labels, amount = 1) {
          const key = labelText(names, labels);
          values.set(key, (values.get(key) ?? 0) + amount);
        },
      };
    },
    gauge(name, help, names = []) {
      const values = plain(name, 'gauge', help, names);
      return { set: (labels, value) => void values.set(labelText(names, labels), value) };
    },
    histogram(name, help, buckets, names = []) {
      const values = new Map<string, Distribution>();
      register(name, 'histogram', help, () =>
        [...values].flatMap(([labels, { counts, sum, total }]) => {
          const prefix = labels === '' ? '' : `${labels},`;
          let below = 0;
          const lines = buckets.map((bound, index) => {
            below += counts[index] ?? 0;
            return `${name}_bucket{${prefix}le="${bound}"} ${below}`;
          });
          return [
            ...lines,
            `${name}_bucket{${prefix}le="+Inf"} ${total}`,
            `${name}_sum${braces(labels)} ${sum}`,
            `${name}_count${braces(labels)} ${total}`,
          ];
        }),
      );
      return {
        observe(labels, value) {
          const key = labelText(names, labels);
          const entry = values.get(key) ?? { counts: buckets.map(() => 0), sum: 0, total: 0 };
          values.set(key, entry);
          const bucket = buckets.findIndex((bound) => value <= bound);
          if (bucket >= 0) entry.counts[bucket] = (entry.counts[bucket] ?? 0) + 1;
          entry.sum += value;
          entry.total += 1;
        },
      };
    },
    beforeScrape: (collect) => void collectors.push(collect),
    async scrape() {
      for (const collect of collectors) await collect();
      return `${[...writers.values()].flatMap((write) => write()).join('\n')}\n`;
    },
  };
}
