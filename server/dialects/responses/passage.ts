import type { ResponseContext, StreamPassthrough } from '../../provider-kit/contract/client-dialect.ts'
import { openNumberedEvents, writeFailure } from './response-writer.ts'

const SEQUENCE_NUMBER = /"sequence_number"\s*:\s*(\d+)/

/** Passes the vendor's events on byte for byte. An error of ours takes the number after the last of theirs. */
export function createPassthrough(context: ResponseContext): StreamPassthrough {
  let next = 0
  return {
    pass({ data, raw }) {
      next = Number(SEQUENCE_NUMBER.exec(data)?.[1] ?? next - 1) + 1
      return raw
    },
    end: () => '',
    fail: error => writeFailure(error, context, openNumberedEvents(next)),
  }
}
