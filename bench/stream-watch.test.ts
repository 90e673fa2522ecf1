import { expect, test } from 'bun:test'
import { setClock } from '../server/core/clock.ts'
import { isComplete, openStreamWatch, tokensIn } from './stream-watch.ts'

const chunk = (content: string): string => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`

test('the first token counts, not the empty one before it, wherever the network cuts', () => {
  let now = 0
  const restore = setClock({ nowMs: () => now, elapsedMs: () => now })
  try {
    const watch = openStreamWatch()
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
      watch.see(piece)
    }
    expect(watch.read()).toEqual({ firstTokenMs: 30, longestGapMs: 100 })
  } finally {
    restore()
  }
})

test('a body is complete with its end mark only, and its tokens are counted', () => {
  const body = chunk('') + chunk('a') + chunk('b')
  expect([tokensIn(body), isComplete(body), isComplete(`${body}data: [DONE]\n\n`)]).toEqual([2, false, true])
})
