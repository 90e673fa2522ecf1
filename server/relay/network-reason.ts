/** The system's own word for what went wrong (ECONNREFUSED …): messages may hold an address or talk of our own tools. */
export const networkReason = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'network failure'
