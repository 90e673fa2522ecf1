import { expect, test } from 'bun:test'
import { chatPreview, moveItem, parseChats, stringifyChats } from './chats-editor.tsx'

test('parses chats and writes them back in order', () => {
  const text = '[{"A":"https://a.example"},{"B":"b://{key}"}]'
  const chats = parseChats(text)
  expect(chats).toEqual([
    { name: 'A', link: 'https://a.example' },
    { name: 'B', link: 'b://{key}' },
  ])
  expect(JSON.parse(stringifyChats(chats ?? []))).toEqual(JSON.parse(text))
})

test('rejects anything that is not a list of chats', () => {
  for (const text of ['{', '{"a":"b"}', '[{"a":"b","c":"d"}]', '[1]'])
    expect(parseChats(text)).toBeUndefined()
})

test('moves an item by one and never out of the list', () => {
  expect(moveItem(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  expect(moveItem(['a', 'b'], 1, 2)).toEqual(['a', 'b'])
  expect(moveItem(['a', 'b'], 0, -1)).toEqual(['a', 'b'])
})

test('previews a link with the encoded address and without a key', () => {
  expect(chatPreview('x://go?u={address}&k={key}', 'https://g.example')).toBe(
    'x://go?u=https%3A%2F%2Fg.example&k=sk-…',
  )
})
