/** One statement of an admission as it went to the database. */
export interface RecordedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Machines to start, each once, by so many clients at a time. */
export interface AdmissionPlan {
  readonly firstMachine: number;
  readonly count: number;
  readonly clients: number;
  /** No admission begins later than that. */
  readonly withinMs: number;
}

export interface Admissions {
  readonly admitted: number;
  readonly perSecond: number;
}

/** Runs `admit` for the machines of the plan, as many as there is time for. */
export async function admitAll(
  { firstMachine, count, clients, withinMs }: AdmissionPlan,
  admit: (machineId: number) => Promise<unknown>,
): Promise<Admissions> {
  const beganAt = performance.now();
  let next = firstMachine;
  const client = async (): Promise<void> => {
    while (next < firstMachine + count && performance.now() - beganAt < withinMs) {
      const machineId = next;
      next += 1;
      await admit(machineId);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const admitted = next - firstMachine;
  return { admitted, perSecond: (admitted * 1_000) / (performance.now() - beganAt) };
}
