/** The purpose under which a build's progress token is derived from its operation's id. */
export const PROGRESS_TOKEN = 'progress';
