import { expect, test } from 'bun:test'
import { chatPreview, chatsIn, chatsText, moved } from './chats-editor.tsx'

test('chats are read from their text and written back in their order', () => {
  const text = '[{"A":"https://a.example"},{"B":"b://{key}"}]'
  const chats = chatsIn(text)
  expect(chats).toEqual([
    { name: 'A', link: 'https://a.example' },
    { name: 'B', link: 'b://{key}' },
  ])
  expect(JSON.parse(chatsText(chats ?? []))).toEqual(JSON.parse(text))
})

test('what is not such a list is not guessed at', () => {
  for (const text of ['{', '{"a":"b"}', '[{"a":"b","c":"d"}]', '[1]']) expect(chatsIn(text)).toBeUndefined()
})

test('an entry moves by one place and never out of the list', () => {
  expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  expect(moved(['a', 'b'], 1, 2)).toEqual(['a', 'b'])
  expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b'])
})

test('a preview holds the address encoded and no key', () => {
  expect(chatPreview('x://go?u={address}&k={key}', 'https://g.example')).toBe(
    'x://go?u=https%3A%2F%2Fg.example&k=sk-…',
  )
})
