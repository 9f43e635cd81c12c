import { expect, test } from 'vitest';
import { createMetricsRegistry } from '../../../src/observability/metrics.ts';

test('counters, gauges and histograms in the text format', async () => {
  const registry = createMetricsRegistry();
  const requests = registry.counter('requests_total', 'Requests answered.', ['route', 'status']);
  requests.add({ route: 'graphql', status: '200' });
  requests.add({ route: 'graphql', status: '200' }, 2);
  requests.add({ route: 'a"b\\c\nd', status: '404' });
  registry.counter('idle_total', 'Never happened.');
  const streams = registry.gauge('streams', 'Open streams.');
  registry.beforeScrape(() => streams.set({}, 7));
  const seconds = registry.histogram('job_seconds', 'Duration of jobs.', [1, 10]);
  for (const value of [0.5, 1, 5, 60]) seconds.observe({}, value);

  expect(await registry.scrape()).toBe(`# HELP requests_total Requests answered.
# TYPE requests_total counter
requests_total{route="graphql",status="200"} 3
requests_total{route="a\\"b\\\\c\\nd",status="404"} 1
# HELP idle_total Never happened.
# TYPE idle_total counter
idle_total 0
# HELP streams Open streams.
# TYPE streams gauge
streams 7
# HELP job_seconds Duration of jobs.
# TYPE job_seconds histogram
job_seconds_bucket{le="1"} 2
job_seconds_bucket{le="10"} 3
job_seconds_bucket{le="+Inf"} 4
job_seconds_sum 66.5
job_seconds_count 4
`);
});

test('a histogram with labels keeps them beside le', async () => {
  const registry = createMetricsRegistry();
  registry.histogram('lag', 'Lag.', [1], ['cluster']).observe({ cluster: 'c1' }, 2);
  expect(await registry.scrape()).toContain('lag_bucket{cluster="c1",le="1"} 0\nlag_bucket{cluster="c1",le="+Inf"} 1');
});

test('a name is used once and is a name', () => {
  const registry = createMetricsRegistry();
  registry.gauge('up', 'Up.');
  expect(() => registry.counter('up', 'Up.')).toThrow('already registered');
  expect(() => registry.gauge('not a name', '')).toThrow('not a metric name');
});
