import type { ResponseContext, StreamPassthrough } from '../../provider-kit/contract/client-dialect.ts'
import { writeErrorEvent } from './error.ts'

/** Passes Claude's events on byte for byte, usage and end mark with them. */
export const createPassthrough = ({ requestId }: ResponseContext): StreamPassthrough => ({
  pass: event => event.raw,
  end: () => '',
  fail: error => writeErrorEvent(error, requestId),
})
