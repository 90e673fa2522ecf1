import { sleepMs } from '../core/clock.ts'
import type { RequestCounter } from './counters.ts'
import type { BadEnding, FaultPlan } from './fault-plan.ts'
import type { ResponseFrame } from './operation.ts'

/** Steps are gathered up to this many letters before they are written. */
const BATCH_LETTERS = 32_768

const encoder = new TextEncoder()

/**
 * The body that performs the steps, one after the other, as fast as the client reads.
 * A dropped body ends in an error without a value, on which Bun resets the connection and prints nothing.
 */
export function deliver(
  acts: Iterable<DeliveryStep>,
  dripBytes: number,
  visit: RequestCounter,
): ReadableStream<Uint8Array> {
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

async function* perform(acts: Iterable<DeliveryStep>): AsyncGenerator<Uint8Array | 'drop'> {
  for (const act of gathered(acts)) {
    if (act.type === 'write') yield encoder.encode(act.text)
    else if (act.type === 'wait') await sleepMs(act.ms)
    else if (act.type === 'hold') await new Promise(() => undefined)
    else yield 'drop'
  }
}

/** Joins writes that follow each other. */
function* gathered(acts: Iterable<DeliveryStep>): Generator<DeliveryStep> {
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

/** One step of a delivery. `drop` resets the connection. */
export type DeliveryStep =
  | { readonly type: 'write'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'hold' }
  | { readonly type: 'drop' }

const CHATTER_EVERY_MS = 50
/** What was written must have left before the connection is reset, or the reset swallows it. */
const BEFORE_DROP_MS = 10
const HOLD: DeliveryStep = { type: 'hold' }
const DROP: DeliveryStep = { type: 'drop' }
const write = (text: string): DeliveryStep => ({ type: 'write', text })
const wait = (ms: number): DeliveryStep => ({ type: 'wait', ms })
const firstHalf = (text: string): string => text.slice(0, Math.ceil(text.length / 2))

/** Turns frames into steps at the plan's pace, up to its bad ending where it has one. `errorFrame` is what an error inside the stream looks like. */
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
    if (frame.kind !== 'end' || faultPlan.hasEndMark) yield write(frame.text)
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
      return yield HOLD
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

/** A body that is not a stream, as two frames: bad endings happen between its halves. */
export function halves(text: string): readonly ResponseFrame[] {
  const first = firstHalf(text)
  return [
    { text: first, kind: 'other' },
    { text: text.slice(first.length), kind: 'token' },
  ]
}
