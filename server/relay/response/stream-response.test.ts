import { expect, test } from 'bun:test'
import { stream } from './stream-response.ts'

test('says that an answer is over with its last bytes, once and not before', async () => {
  const pieces = ['a', 'b', 'c']
  let overs = 0
  const flow = {
    next: async () => ({ text: pieces.shift() ?? '', isLast: pieces.length === 0 }),
    leave: async () => undefined,
  }
  const reader = stream(flow, () => {
    overs += 1
  }).getReader()
  const seen: string[] = []
  for (let read = await reader.read(); !read.done; read = await reader.read())
    seen.push(`${new TextDecoder().decode(read.value)} ${overs}`)
  expect(seen).toEqual(['a 0', 'b 0', 'c 1'])
  expect(overs).toBe(1)
})
