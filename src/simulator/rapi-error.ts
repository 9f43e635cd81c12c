/** An HTTP error as RAPI answers it. */
export class RapiError extends Error {
  override readonly name = 'RapiError';
  readonly status: number;

  /** Without a message RAPI repeats the reason phrase. */
  constructor(status: number, message?: string) {
    super(message ?? EXPLANATIONS[status]?.[0] ?? 'Error');
    this.status = status;
  }

  /** The body: the message passes through Python's `html.escape(quote=True)`, always. */
  body(): string {
    return pythonJson({
      code: this.status,
      message: escapeHtml(this.message),
      explain: EXPLANATIONS[this.status]?.[1] ?? '',
    });
  }
}

/** A failed opcode: what ends up in `opresult` as `[class, [message, code]]`. */
export class OpError extends Error {
  override readonly name = 'OpError';
  readonly result: readonly [string, readonly string[]];

  constructor(
    kind: 'OpPrereqError' | 'OpExecError' | 'TagError' | 'TypeEnforcementError',
    message: string,
    code?: string,
  ) {
    super(message);
    this.result = [kind, code === undefined ? [message] : [message, code]];
  }
}

/** A failed prerequisite, with one of Ganeti's error codes where it has one. */
export function prereqError(message: string, code?: string): OpError {
  return new OpError('OpPrereqError', message, code);
}

/** JSON as Python's `json.dumps` spaces it: error messages of the real one quote it. */
export function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => `${JSON.stringify(key)}: ${pythonJson(inner)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value ?? null);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
}

// Python's own table of reason phrases and explanations.
const EXPLANATIONS: Readonly<Record<number, readonly [string, string]>> = {
  400: ['Bad Request', 'Bad request syntax or unsupported method'],
  401: ['Unauthorized', 'No permission -- see authorization schemes'],
  403: ['Forbidden', 'Request forbidden -- authorization will not help'],
  404: ['Not Found', 'Nothing matches the given URI'],
  415: ['Unsupported Media Type', 'Entity body in unsupported format'],
  500: ['Internal Server Error', 'Server got itself in trouble'],
  501: ['Not Implemented', 'Server does not support this operation'],
  502: ['Bad Gateway', 'Invalid responses from another server/proxy'],
  503: ['Service Unavailable', 'The server cannot process the request due to a high load'],
  504: ['Gateway Timeout', 'The gateway server did not receive a timely response'],
};
