const HANDLE_CHARS = 22

/** Stands for an id or encrypted content that only the account can read that made it. Always 22 characters. */
export const toHandle = (idOrContent: string): string =>
  new Bun.CryptoHasher('sha256').update(idOrContent).digest('base64url').slice(0, HANDLE_CHARS)
