import { expect, test } from 'bun:test'
import { chatAddress, chatLinks, linkHost } from './chat-links.ts'

test('lists the configured chats in order', () => {
  const chats = [{ Web: 'https://a.example/{key}' }, { App: 'cherry://x?{address}' }]
  expect(
    chatLinks({ chats, chat_link: 'https://old.example', chat_link2: '' }).map(link => link.name),
  ).toEqual(['Web', 'App'])
})

test('falls back to the two legacy links, named after their host', () => {
  expect(chatLinks({ chats: [], chat_link: 'https://old.example/#/?k={key}', chat_link2: '' })).toEqual([
    { name: 'old.example', template: 'https://old.example/#/?k={key}' },
  ])
})

test('fills the key and the escaped address into the link', () => {
  expect(
    chatAddress(
      'https://a.example/?settings={"key":"{key}","url":"{address}"}',
      'sk-1',
      'https://g.example/x',
    ),
  ).toBe('https://a.example/?settings={"key":"sk-1","url":"https%3A%2F%2Fg.example%2Fx"}')
})

test('returns undefined for a link that is not a URL', () => {
  expect(chatAddress('not a link', 'sk-1', 'https://g.example')).toBeUndefined()
})

test('returns the host that receives the key', () => {
  expect(linkHost('https://chat.example:8443/x')).toBe('chat.example:8443')
  expect(linkHost('cherry://open?x')).toBeTruthy()
})
