/**
 * The await points between a wish and its job at which a crash must lose and double nothing. Tests hang a SIGKILL on
 * them; in production nothing does.
 */
export type CheckpointName =
  | 'before-send'
  | 'sending-recorded'
  | 'answered'
  | 'submitted-recorded'
  | 'final-read'
  | 'final-applied';

export type Checkpoint = (name: CheckpointName, opcode: string) => void | Promise<void>;

export const noCheckpoint: Checkpoint = () => undefined;
