import { afterEach, expect, test } from 'vitest';
import { createLogger, maskSecrets, registerSecret } from '../../../src/observability/logger.ts';

const forget: (() => void)[] = [];

afterEach(() => {
  for (const one of forget.splice(0)) one();
});

function record(level = 'info') {
  const lines: string[] = [];
  const logger = createLogger({ level, destination: { write: (line) => void lines.push(line) } });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') };
}

test('a line is one JSON object with level, time and message', () => {
  const { logger, lines, last } = record();
  logger.info({ cluster: 'c1' }, 'observed');
  logger.debug('too fine');
  expect(lines).toHaveLength(1);
  expect(last()).toEqual({ level: 'info', time: expect.any(String), cluster: 'c1', msg: 'observed' });
});

test('secret names are masked in objects, in children and in errors', () => {
  const { logger, lines, last } = record();
  logger.info({ request: { headers: { authorization: 'Basic abc' } }, password: 'p1' }, 'sent');
  expect(last()).toMatchObject({ request: { headers: { authorization: '***' } }, password: '***' });
  logger.error({ err: Object.assign(new Error('refused'), { password: 'p2', host: 'h' }) }, 'failed');
  expect(last().err).toMatchObject({ message: 'refused', password: '***', host: 'h' });
  expect(lines.join('')).not.toMatch(/p1|p2/);
});

test('registered values are masked wherever they turn up, also escaped, until they are forgotten', () => {
  const { logger, lines } = record();
  const secret = 'pass"word\\7';
  const end = registerSecret(secret);
  forget.push(end);
  logger.warn({ note: `a ${secret} b` }, `message ${secret}`);
  logger.error({ err: new Error(`cannot log in with ${secret}`) });
  expect(lines.join('')).not.toContain('word');
  expect(lines.join('')).toContain('***');
  expect(maskSecrets(`x ${secret}`)).toBe('x ***');
  end();
  expect(maskSecrets(`x ${secret}`)).toBe(`x ${secret}`);
});

test('callback tokens are masked by their path', () => {
  const { logger, lines } = record();
  logger.info({ url: 'http://h/progress/op.0123abc' }, 'POST /config/op.0123abc');
  expect(lines[0]).not.toContain('0123abc');
});

test('a short value is not registered', () => {
  forget.push(registerSecret('on'));
  expect(maskSecrets('on and on')).toBe('on and on');
});
