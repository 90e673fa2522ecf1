import type { Candidate } from './candidate.ts'

/** The upstream itself as a candidate that adds nothing. */
export const directTo = ({ url, pid }: { readonly url: string; readonly pid: number }): Candidate => ({
  name: 'direct',
  pid,
  url: `${url}/v1/chat/completions`,
  headers: { authorization: 'Bearer lab' },
  stop: () => Promise.resolve(),
})
