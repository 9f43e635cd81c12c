/** Which requests a fault hits. */
export interface FaultMatch {
  /** How many matching requests; without it, all until the fault is taken back. */
  times?: number;
  method?: string;
  /** A regular expression on the path (without its query). */
  path?: string;
}

/** `true`: every request of the kind the fault is for; a number: that many; a match: those. `false` takes it back. */
export type FaultSwitch = boolean | number | FaultMatch;

/** What can go wrong. The first three hit submits unless a `path` or `method` says otherwise; `garbage`, `html` and `slow` hit every request. */
export interface FaultSettings {
  /** The job is made, then the socket is destroyed without an answer. */
  dropAfterSubmit?: FaultSwitch;
  /** The socket is destroyed when the request has been read; no job is made. */
  dropBeforeSubmit?: FaultSwitch;
  /** The job is made, then RAPI answers 504. */
  error504?: FaultSwitch;
  /** Answered by half a JSON text (the job of a submit is made). */
  garbage?: FaultSwitch;
  /** Answered by an HTML page with status 200 (the job of a submit is made). */
  html?: FaultSwitch;
  /** Answers are late; alone, a number is the delay in ms of every request. */
  slow?: number | false | (FaultMatch & { delayMs: number });
  /** Jobs end in this error instead of running. */
  jobError?: false | { times?: number; opcode?: string; message: string; code?: string };
  /** The queue is drained: submits are answered 500 "Queue drained". */
  drained?: boolean;
  /** The listener is closed and open connections are destroyed. */
  down?: boolean;
}

type RequestFault = 'dropAfterSubmit' | 'dropBeforeSubmit' | 'error504' | 'garbage' | 'html' | 'slow';
const SUBMIT_FAULTS: readonly string[] = ['dropAfterSubmit', 'dropBeforeSubmit', 'error504'];

interface Rule {
  times: number;
  method: string | null;
  path: RegExp | null;
  submitsOnly: boolean;
  delayMs: number;
}

/** The faults in force. */
export class FaultRules {
  readonly #rules = new Map<RequestFault, Rule>();
  #jobError: { times: number; opcode: string | null; message: string; code: string | null } | null = null;
  drained = false;

  /** Applies settings; a key that is absent keeps its state. `down` is not ours: the server's owner sees to it. */
  set(settings: FaultSettings): void {
    const { slow, jobError, drained, down: _down, ...switches } = settings;
    for (const [fault, value] of Object.entries(switches) as [RequestFault, FaultSwitch][])
      this.#switch(fault, value, 0);
    if (slow !== undefined) {
      if (typeof slow === 'object') this.#switch('slow', slow, slow.delayMs);
      else this.#switch('slow', slow !== false && slow > 0, Number(slow));
    }
    if (jobError !== undefined) {
      this.#jobError =
        jobError === false
          ? null
          : {
              times: jobError.times ?? Number.POSITIVE_INFINITY,
              opcode: jobError.opcode ?? null,
              message: jobError.message,
              code: jobError.code ?? null,
            };
    }
    if (drained !== undefined) this.drained = drained;
  }

  clear(): void {
    this.#rules.clear();
    this.#jobError = null;
    this.drained = false;
  }

  /** Whether a fault hits this request, which uses one of its times up; `slow` answers its delay in ms. */
  hits(fault: RequestFault, request: { method: string; path: string; submits: boolean }): number | false {
    const rule = this.#rules.get(fault);
    if (rule === undefined) return false;
    if (rule.submitsOnly && !request.submits) return false;
    if (rule.method !== null && rule.method !== request.method) return false;
    if (rule.path !== null && !rule.path.test(request.path)) return false;
    rule.times -= 1;
    if (rule.times <= 0) this.#rules.delete(fault);
    return fault === 'slow' ? rule.delayMs : 1;
  }

  /** The failure a job of this opcode is to end in, which uses one of its times up. */
  takeJobError(opcode: string): { message: string; code: string | null } | null {
    const fault = this.#jobError;
    if (fault === null || (fault.opcode !== null && fault.opcode !== opcode)) return null;
    fault.times -= 1;
    if (fault.times <= 0) this.#jobError = null;
    return fault;
  }

  #switch(fault: RequestFault, value: FaultSwitch, delayMs: number): void {
    if (value === false || value === 0) {
      this.#rules.delete(fault);
      return;
    }
    const match: FaultMatch = typeof value === 'object' ? value : typeof value === 'number' ? { times: value } : {};
    this.#rules.set(fault, {
      times: match.times ?? Number.POSITIVE_INFINITY,
      method: match.method?.toUpperCase() ?? null,
      path: match.path === undefined ? null : new RegExp(match.path),
      submitsOnly: SUBMIT_FAULTS.includes(fault) && match.method === undefined && match.path === undefined,
      delayMs,
    });
  }
}
