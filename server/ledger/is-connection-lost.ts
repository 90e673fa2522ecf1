const CONNECTION_LOST = /^ERR_POSTGRES_CONNECTION_/

/** Whether nobody is there to say anything of what was asked: it is no fault of that, and may have been done. */
export const isConnectionLost = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CONNECTION_LOST.test(String(error.code))
