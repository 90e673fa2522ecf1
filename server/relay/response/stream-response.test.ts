import { expect, test } from 'bun:test'
import { toReadableStream } from './stream-response.ts'

test('calls onEnd exactly once, with the last part of a stream', async () => {
  const pieces = ['a', 'b', 'c']
  let ends = 0
  const source = {
    next: async () => ({ text: pieces.shift() ?? '', isLast: pieces.length === 0 }),
    cancel: async () => undefined,
  }
  const reader = toReadableStream(source, () => {
    ends += 1
  }).getReader()
  const received: string[] = []
  for (let read = await reader.read(); !read.done; read = await reader.read())
    received.push(`${new TextDecoder().decode(read.value)} ${ends}`)
  expect(received).toEqual(['a 0', 'b 0', 'c 1'])
  expect(ends).toBe(1)
})
