import { sleepMs } from '../core/clock.ts'
import type { RequestCounter } from './counters.ts'
import type { BadEnding, FaultPlan } from './fault-plan.ts'
import type { ResponseFrame } from './operation.ts'

/** One step of a delivery: `stall` waits forever, and `drop` resets the connection. */
export type DeliveryStep =
  | { readonly type: 'write'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'stall' }
  | { readonly type: 'drop' }

const STALL: DeliveryStep = { type: 'stall' }
const DROP: DeliveryStep = { type: 'drop' }
const write = (text: string): DeliveryStep => ({ type: 'write', text })
const wait = (ms: number): DeliveryStep => ({ type: 'wait', ms })

const CHATTER_EVERY_MS = 50
/** A reset discards data that is still in the send buffer, so the last write needs time to leave. */
const BEFORE_DROP_MS = 10
/** Consecutive writes are merged up to this size. */
const BATCH_CHARS = 32_768

const encoder = new TextEncoder()

/** Turns frames into steps at the pace of the plan, up to its bad ending if it has one. `errorFrame` is an error event. */
export function* deliverySteps(
  frames: Iterable<ResponseFrame>,
  faultPlan: FaultPlan,
  errorFrame: string,
): Generator<DeliveryStep> {
  let tokens = 0
  for (const frame of frames) {
    if (frame.kind === 'token') {
      if (tokens === faultPlan.ending?.afterTokens)
        return yield* endBadly(faultPlan.ending.kind, frame, errorFrame)
      yield* pause(tokens === 0 ? faultPlan.firstTokenAfterMs : faultPlan.betweenTokensMs)
      tokens++
    }
    if (frame.kind !== 'end' || faultPlan.hasEndMarker) yield write(frame.text)
  }
}

function* pause(ms: number): Generator<DeliveryStep> {
  if (ms > 0) yield wait(ms)
}

function* endBadly(
  kind: BadEnding['kind'],
  frame: ResponseFrame,
  errorFrame: string,
): Generator<DeliveryStep> {
  switch (kind) {
    case 'stall':
      return yield STALL
    case 'chatter':
      for (;;) yield* [wait(CHATTER_EVERY_MS), write(': still here\n\n')]
    case 'cut':
      return yield* [write(firstHalf(frame.text)), wait(BEFORE_DROP_MS), DROP]
    case 'reset':
      return yield DROP
    case 'half-event':
      return yield write(firstHalf(frame.text))
    case 'error-event':
      return yield write(errorFrame)
    case 'broken-event':
      return yield write('data: {"choices":[{"delta":\n\n')
    case 'no-finish':
      return
  }
}

/** Splits a body that is not a stream into two frames, so that a bad ending happens in its middle. */
export function splitBody(text: string): readonly ResponseFrame[] {
  const first = firstHalf(text)
  return [
    { text: first, kind: 'other' },
    { text: text.slice(first.length), kind: 'token' },
  ]
}

const firstHalf = (text: string): string => text.slice(0, Math.ceil(text.length / 2))

/**
 * Creates a body that performs the steps in order, as fast as the client reads. `bytesPerWrite` is 0 for no limit.
 * A drop errors the stream without a value: Bun then resets the connection and logs nothing.
 */
export function deliver(
  steps: Iterable<DeliveryStep>,
  bytesPerWrite: number,
  counter: RequestCounter,
): ReadableStream<Uint8Array> {
  const writes = splitWrites(performSteps(steps), bytesPerWrite)
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await writes.next()
      if (done) {
        counter.end('finished')
        controller.close()
      } else if (value === 'drop') {
        counter.end('dropped')
        controller.error(undefined)
      } else {
        counter.addBytesOut(value.byteLength)
        controller.enqueue(value)
      }
    },
    cancel() {
      counter.end('aborted')
    },
  })
}

async function* performSteps(steps: Iterable<DeliveryStep>): AsyncGenerator<Uint8Array | 'drop'> {
  for (const step of mergeWrites(steps)) {
    if (step.type === 'write') yield encoder.encode(step.text)
    else if (step.type === 'wait') await sleepMs(step.ms)
    else if (step.type === 'stall') await new Promise(() => undefined)
    else yield 'drop'
  }
}

/** Merges consecutive writes. */
function* mergeWrites(steps: Iterable<DeliveryStep>): Generator<DeliveryStep> {
  let text = ''
  for (const step of steps) {
    if (step.type === 'write') text += step.text
    if (text && (step.type !== 'write' || text.length >= BATCH_CHARS)) {
      yield { type: 'write', text }
      text = ''
    }
    if (step.type !== 'write') yield step
  }
  if (text) yield { type: 'write', text }
}

async function* splitWrites(
  writes: AsyncIterable<Uint8Array | 'drop'>,
  bytesPerWrite: number,
): AsyncGenerator<Uint8Array | 'drop'> {
  for await (const write of writes) {
    if (write === 'drop' || bytesPerWrite === 0) yield write
    else yield* slices(write, bytesPerWrite)
  }
}

/** Waits a turn of the event loop after each slice, so that each is sent on its own. */
async function* slices(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += size) {
    yield bytes.subarray(start, start + size)
    await sleepMs(0)
  }
}
