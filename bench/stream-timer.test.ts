import { expect, test } from 'bun:test'
import { setClock } from '#server/core/clock.ts'
import { countTokens, createStreamTimer, isComplete, sharedClockMs } from './stream-timer.ts'

const chunk = (content: string): string => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`

test('times the first token rather than the empty delta before it, wherever the network splits it', () => {
  let now = 0
  const restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  try {
    const timer = createStreamTimer()
    const { length } = chunk('')
    const text = chunk('') + chunk('Hello')
    const pieces: readonly (readonly [number, string])[] = [
      [5, text.slice(0, length)],
      [25, text.slice(length, length + 35)],
      [30, text.slice(length + 35)],
      [130, chunk(' there')],
    ]
    for (const [ms, piece] of pieces) {
      now = ms
      timer.add(piece)
    }
    expect(timer.read()).toEqual({ firstTokenMs: 30, longestGapMs: 100, delaysMs: [] })
  } finally {
    restore()
  }
})

test('counts the delay of each stamped event once, from when its stamp is complete', () => {
  let now = 0
  const restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  try {
    const timer = createStreamTimer()
    const stamped = chunk(`@${sharedClockMs().toFixed(3)} `)
    const pieces: readonly (readonly [number, string])[] = [
      [2, stamped],
      [3, stamped.slice(0, 50)],
      [7, stamped.slice(50)],
      [9, stamped + stamped],
    ]
    for (const [ms, piece] of pieces) {
      now = ms
      timer.add(piece)
    }
    expect(timer.read().delaysMs.map(Math.round)).toEqual([2, 7, 9, 9])
  } finally {
    restore()
  }
})

test('recognizes a complete body by its end marker and counts its tokens', () => {
  const body = chunk('') + chunk('a') + chunk('b')
  expect([countTokens(body), isComplete(body), isComplete(`${body}data: [DONE]\n\n`)]).toEqual([
    2,
    false,
    true,
  ])
})
