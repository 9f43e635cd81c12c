import { describe, expect, it } from 'vitest';
import { classifyReply, classifyTransportError } from '../../../src/ganeti/classify.ts';
import { recorded } from './fixture.ts';

const ganeti = (code: number, message: string): string => JSON.stringify({ code, message, explain: 'x' });
const HTML = '<html><body>502 Bad Gateway</body></html>';

describe('a reply to a submit', () => {
  it.each([
    [400, ganeti(400, 'bad'), 'rejected', 'bad-request'],
    [401, ganeti(401, 'Unauthorized'), 'rejected', 'authentication'],
    [401, HTML, 'rejected', 'authentication'],
    [403, ganeti(403, 'Forbidden'), 'rejected', 'forbidden'],
    [404, ganeti(404, 'Not Found'), 'rejected', 'not-found'],
    [404, HTML, 'rejected', 'garbage'],
    [415, ganeti(415, 'type'), 'rejected', 'bad-request'],
    [501, ganeti(501, 'method'), 'rejected', 'bad-request'],
    [500, ganeti(500, 'Queue drained'), 'retryable', 'queue-drained'],
    [500, HTML, 'unknown-outcome', 'garbage'],
    [500, 'Queue drained', 'unknown-outcome', 'garbage'],
    [500, ganeti(500, 'Failed to write job-1'), 'unknown-outcome', 'server-error'],
    [502, ganeti(502, '/var/run/ganeti/socket'), 'unknown-outcome', 'server-error'],
    [502, HTML, 'unknown-outcome', 'garbage'],
    [503, ganeti(503, 'x'), 'unknown-outcome', 'server-error'],
    [504, ganeti(504, 'Timeout'), 'unknown-outcome', 'timeout'],
    [200, '{"half":', 'unknown-outcome', 'garbage'],
    [200, '', 'unknown-outcome', 'garbage'],
    [302, '', 'unknown-outcome', 'garbage'],
    [429, 'slow down', 'unknown-outcome', 'garbage'],
  ])('%i %s is %s: %s', (status, body, kind, reason) => {
    expect(classifyReply('submit', { status, body })).toMatchObject({ status, kind, reason });
  });
});

describe('a reply to a read', () => {
  it.each([
    [404, ganeti(404, 'Not Found'), 'rejected', 'not-found'],
    // Another server's 404 must never be read as "the instance is gone".
    [404, HTML, 'retryable', 'garbage'],
    [404, ganeti(500, 'x'), 'retryable', 'garbage'],
    [400, ganeti(400, 'bad'), 'retryable', 'bad-request'],
    [401, ganeti(401, 'Unauthorized'), 'retryable', 'authentication'],
    [403, ganeti(403, 'Forbidden'), 'retryable', 'forbidden'],
    [500, ganeti(500, 'x'), 'retryable', 'server-error'],
    [502, ganeti(502, 'x'), 'retryable', 'server-error'],
    [503, HTML, 'retryable', 'garbage'],
    [504, ganeti(504, 'x'), 'retryable', 'timeout'],
    [200, HTML, 'retryable', 'garbage'],
  ])('%i %s is %s: %s', (status, body, kind, reason) => {
    expect(classifyReply('read', { status, body })).toMatchObject({ status, kind, reason });
  });
});

describe('the message', () => {
  it.each(['06', '16', '22', '34', '38', '46', '47'])('of recording %s is decoded text', (name) => {
    const { status, reply } = recorded(name);
    const { message } = classifyReply('read', { status, body: JSON.stringify(reply) });
    expect(message).not.toMatch(/&(#x27|quot|lt|gt|amp);/);
    expect(message).not.toMatch(/without a Ganeti error message/);
  });

  it('quotes what was refused', () => {
    const { status, reply } = recorded('16');
    expect(classifyReply('submit', { status, body: JSON.stringify(reply) })).toEqual({
      kind: 'rejected',
      reason: 'bad-request',
      status: 400,
      message: "Invalid body parameters: Object OpInstanceCreate doesn't support the parameter 'nonsense'",
    });
  });
});

describe('a call without a reply', () => {
  it.each([
    ['ECONNREFUSED', 'unreachable'],
    ['EHOSTUNREACH', 'unreachable'],
    ['ENOTFOUND', 'unreachable'],
    ['ECONNRESET', 'unreachable'],
    [null, 'unreachable'],
    ['TIMEOUT', 'timeout'],
    ['ABORTED', 'timeout'],
    ['CERTIFICATE_MISMATCH', 'certificate-mismatch'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate-mismatch'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate-mismatch'],
    ['CERT_HAS_EXPIRED', 'certificate-mismatch'],
    ['EPROTO', 'not-a-ganeti'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'not-a-ganeti'],
  ])('because of %s while connecting submitted nothing: %s', (code, reason) => {
    const failure = { phase: 'connecting' as const, code, message: 'x' };
    expect(classifyTransportError('submit', failure)).toMatchObject({ kind: 'retryable', reason });
    expect(classifyTransportError('read', failure)).toMatchObject({ kind: 'retryable', reason });
  });

  it.each([
    ['UND_ERR_SOCKET', 'unreachable'],
    ['ECONNRESET', 'unreachable'],
    ['EPIPE', 'unreachable'],
    ['TIMEOUT', 'timeout'],
    ['ABORTED', 'timeout'],
    ['HPE_INVALID_CONSTANT', 'not-a-ganeti'],
  ])('because of %s once the request may be sent leaves a submit unknown', (code, reason) => {
    const failure = { phase: 'sent' as const, code, message: 'x' };
    expect(classifyTransportError('submit', failure)).toMatchObject({ kind: 'unknown-outcome', reason });
    expect(classifyTransportError('read', failure)).toMatchObject({ kind: 'retryable', reason });
  });
});
