import { expect, it } from 'vitest';
import { FaultRules } from '../../../src/simulator/faults.ts';

const SUBMIT = { method: 'POST', path: '/2/instances', submits: true };
const READ = { method: 'GET', path: '/2/info', submits: false };

it('hits submits so many times', () => {
  const faults = new FaultRules();
  faults.set({ dropAfterSubmit: 2 });
  expect(faults.hits('dropAfterSubmit', READ)).toBe(false);
  expect([1, 2, 3].map(() => faults.hits('dropAfterSubmit', SUBMIT))).toEqual([1, 1, false]);
});

it('hits always until it is taken back', () => {
  const faults = new FaultRules();
  faults.set({ error504: true, slow: 30 });
  expect(faults.hits('error504', SUBMIT)).toBe(1);
  expect(faults.hits('slow', READ)).toBe(30);
  faults.set({ error504: false });
  expect(faults.hits('error504', SUBMIT)).toBe(false);
  expect(faults.hits('slow', READ)).toBe(30);
  faults.clear();
  expect(faults.hits('slow', READ)).toBe(false);
});

it('hits what matches its method and path, reads too', () => {
  const faults = new FaultRules();
  faults.set({ dropBeforeSubmit: { method: 'get', path: '^/2/info$', times: 1 } });
  expect(faults.hits('dropBeforeSubmit', SUBMIT)).toBe(false);
  expect(faults.hits('dropBeforeSubmit', { ...READ, path: '/2/info/x' })).toBe(false);
  expect(faults.hits('dropBeforeSubmit', READ)).toBe(1);
  expect(faults.hits('dropBeforeSubmit', READ)).toBe(false);
});

it('fails jobs of an opcode', () => {
  const faults = new FaultRules();
  faults.set({
    jobError: { opcode: 'OP_INSTANCE_CREATE', message: 'no room', code: 'temp_insufficient_resources', times: 1 },
  });
  expect(faults.takeJobError('OP_NETWORK_ADD')).toBeNull();
  expect(faults.takeJobError('OP_INSTANCE_CREATE')).toMatchObject({ code: 'temp_insufficient_resources' });
  expect(faults.takeJobError('OP_INSTANCE_CREATE')).toBeNull();
});
