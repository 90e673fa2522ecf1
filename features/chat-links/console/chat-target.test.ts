import { expect, test } from 'bun:test'
import { defaultsOf } from '#contract/entities/stored.ts'
import type { Token } from '#contract/entities/token.ts'
import { TokenFields } from '#contract/entities/token-fields.ts'
import { chatNavItems } from './chat/index.tsx'
import { resolveChatTarget } from './chat-target.ts'

const SERVER = 'https://api.example'
const links = (...chats: readonly Record<string, string>[]) => ({
  chats: [...chats],
  chat_link: '',
  chat_link2: '',
})

const token = (name: string, status: number): Token => ({
  ...defaultsOf(TokenFields),
  id: 1,
  user_id: 1,
  key: `key-of-${name}`,
  status,
  name,
  created_time: 0,
  accessed_time: 0,
  remain_quota: 0,
  unlimited_quota: true,
  used_quota: 0,
  DeletedAt: null,
})

const NEXT = { Next: 'https://chat.example/#/?key={key}&url={address}' }

test('opens the n-th link with the first enabled token', () => {
  const target = resolveChatTarget(
    links({ a: 'https://a.example' }, NEXT),
    1,
    [token('off', 2), token('on', 1)],
    SERVER,
  )
  expect(target).toEqual({
    kind: 'open',
    name: 'Next',
    address: 'https://chat.example/#/?key=sk-key-of-on&url=https%3A%2F%2Fapi.example',
    host: 'chat.example',
    token: 'on',
    isWeb: true,
  })
})

test('needs no token for links without a key', () => {
  expect(resolveChatTarget(links({ a: 'https://a.example/{address}' }), 0, [], SERVER)).toMatchObject({
    kind: 'open',
    token: undefined,
  })
})

test('reports a missing link, a broken link and a missing token', () => {
  expect(resolveChatTarget(links(), 0, [], SERVER).kind).toBe('no-link')
  expect(resolveChatTarget(links(NEXT), 4, [], SERVER).kind).toBe('no-link')
  expect(resolveChatTarget(links(NEXT), 0, [token('off', 2)], SERVER).kind).toBe('no-token')
  expect(resolveChatTarget(links({ a: 'fluentread' }), 0, [], SERVER).kind).toBe('bad-link')
})

test('opens app links in the app instead of a frame', () => {
  const target = resolveChatTarget(links({ App: 'cherry://x?k={key}' }), 0, [token('on', 1)], SERVER)
  expect(target).toMatchObject({ kind: 'open', isWeb: false })
})

test('lists only chats with a valid link in the sidebar', () => {
  expect(chatNavItems(links({ a: 'fluentread' }, NEXT))).toEqual([{ label: 'Next', to: '/chat/1' }])
})
