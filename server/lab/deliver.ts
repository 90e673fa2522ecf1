import { sleepMs } from '../core/clock.ts'
import type { Visit } from './counters.ts'
import type { Act } from './script.ts'

/** Steps are gathered up to this many letters before they are written. */
const BATCH_LETTERS = 32_768

const encoder = new TextEncoder()

/**
 * The body that performs the steps, one after the other, as fast as the client reads.
 * A dropped body ends in an error without a value, on which Bun resets the connection and prints nothing.
 */
export function deliver(acts: Iterable<Act>, dripBytes: number, visit: Visit): ReadableStream<Uint8Array> {
  const writes = inDrips(perform(acts), dripBytes)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await writes.next()
      if (done) {
        visit.end('finished')
        controller.close()
      } else if (value === 'drop') {
        visit.end('dropped')
        controller.error(undefined)
      } else {
        visit.sent(value.byteLength)
        controller.enqueue(value)
      }
    },
    cancel() {
      visit.end('aborted')
    },
  })
}

async function* perform(acts: Iterable<Act>): AsyncGenerator<Uint8Array | 'drop'> {
  for (const act of gathered(acts)) {
    if (act.type === 'write') yield encoder.encode(act.text)
    else if (act.type === 'wait') await sleepMs(act.ms)
    else if (act.type === 'hold') await new Promise(() => undefined)
    else yield 'drop'
  }
}

/** Joins writes that follow each other. */
function* gathered(acts: Iterable<Act>): Generator<Act> {
  let text = ''
  for (const act of acts) {
    if (act.type === 'write') text += act.text
    if (text && (act.type !== 'write' || text.length >= BATCH_LETTERS)) {
      yield { type: 'write', text }
      text = ''
    }
    if (act.type !== 'write') yield act
  }
  if (text) yield { type: 'write', text }
}

async function* inDrips(
  writes: AsyncIterable<Uint8Array | 'drop'>,
  dripBytes: number,
): AsyncGenerator<Uint8Array | 'drop'> {
  for await (const write of writes) {
    if (write === 'drop' || dripBytes === 0) yield write
    else yield* slices(write, dripBytes)
  }
}

/** Each slice waits a turn, so that it travels alone. */
async function* slices(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) {
    yield bytes.subarray(start, start + size)
    await sleepMs(0)
  }
}
