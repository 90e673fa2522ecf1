import type { AnswerContext, StreamPassage } from '../../provider-kit/client-dialect.ts'
import { writeErrorEvent } from './error.ts'

/** Passes Claude's events on byte for byte, usage and end mark with them. */
export const openPassage = ({ requestId }: AnswerContext): StreamPassage => ({
  pass: event => event.raw,
  end: () => '',
  fail: error => writeErrorEvent(error, requestId),
})
