/** Who is asking. Until authentication comes (AUTH_MODE=development), everyone is a local administrator. */
export interface Viewer {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** The one viewer of development mode, which listens on loopback only. */
export const LOCAL_ADMIN: Viewer = { id: 'local', name: 'Local administrator', isAdmin: true };
