import { expect, test } from 'bun:test'
import type { ChatBody } from '../../provider-kit/contract/chat.ts'
import { chat } from './index.ts'

const sentFor = (extras: Partial<ChatBody>) =>
  JSON.parse(
    String(
      chat.request({
        channel: {
          id: 1,
          key: 'k',
          baseUrl: 'https://v.example/api',
          other: '',
          organization: '',
          setting: {},
        },
        model: 'm',
        body: { model: 'asked', messages: [], ...extras },
        isStream: false,
        requestId: 'r',
        nowSeconds: 0,
      }).body,
    ),
  )

test('requests application steps only where the client does', () => {
  expect(sentFor({ chatId: 'c' })).toEqual({ model: 'm', messages: [], chatId: 'c', detail: false })
  expect(sentFor({ detail: true })).toMatchObject({ detail: true })
})
