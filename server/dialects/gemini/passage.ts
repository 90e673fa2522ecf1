import type { ResponseContext, StreamPassthrough } from '../../provider-kit/contract/client-dialect.ts'
import { writeError } from './error.ts'
import { openFrames, wantsEvents } from './frames.ts'

/** Passes Gemini's frames on: event for event, or each as an element of the array that the client reads. */
export function createPassthrough(context: ResponseContext): StreamPassthrough {
  const frames = openFrames(context)
  const isRaw = wantsEvents(context)
  return {
    pass(event) {
      if (isRaw) return event.raw
      return event.data === '' ? '' : frames.frame(event.data)
    },
    end: () => frames.end(),
    fail: error => frames.frame(JSON.stringify(writeError(error, context.requestId))) + frames.end(),
  }
}
