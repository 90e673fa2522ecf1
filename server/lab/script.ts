import type { Frame } from './operation.ts'
import type { BadEnding, Plan } from './plan.ts'

/** One step of a delivery. `drop` resets the connection. */
export type Act =
  | { readonly type: 'write'; readonly text: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'hold' }
  | { readonly type: 'drop' }

const CHATTER_EVERY_MS = 50
/** What was written must have left before the connection is reset, or the reset swallows it. */
const BEFORE_DROP_MS = 10
const HOLD: Act = { type: 'hold' }
const DROP: Act = { type: 'drop' }
const write = (text: string): Act => ({ type: 'write', text })
const wait = (ms: number): Act => ({ type: 'wait', ms })
const firstHalf = (text: string): string => text.slice(0, Math.ceil(text.length / 2))

/** Turns frames into steps at the plan's pace, up to its bad ending where it has one. `errorFrame` is what an error inside the stream looks like. */
export function* script(frames: Iterable<Frame>, plan: Plan, errorFrame: string): Generator<Act> {
  let tokens = 0
  for (const frame of frames) {
    if (frame.kind === 'token') {
      if (tokens === plan.ending?.afterTokens) return yield* endBadly(plan.ending.kind, frame, errorFrame)
      yield* pause(tokens === 0 ? plan.firstTokenAfterMs : plan.betweenTokensMs)
      tokens++
    }
    if (frame.kind !== 'end' || plan.hasEndMark) yield write(frame.text)
  }
}

function* pause(ms: number): Generator<Act> {
  if (ms > 0) yield wait(ms)
}

function* endBadly(kind: BadEnding['kind'], frame: Frame, errorFrame: string): Generator<Act> {
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
export function halves(text: string): readonly Frame[] {
  const first = firstHalf(text)
  return [
    { text: first, kind: 'other' },
    { text: text.slice(first.length), kind: 'token' },
  ]
}
