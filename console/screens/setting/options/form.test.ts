import { expect, test } from 'bun:test'
import { inSaveOrder } from './form.ts'

test('switches go off first and on last, and the server address goes before what needs it', () => {
  const edits = [
    { key: 'GitHubOAuthEnabled', value: 'true' },
    { key: 'PayAddress', value: 'https://pay.example' },
    { key: 'GitHubClientId', value: 'id' },
    { key: 'ServerAddress', value: 'https://gate.example' },
    { key: 'WeChatAuthEnabled', value: 'false' },
  ] as const
  expect(inSaveOrder(edits).map(({ key }) => key)).toEqual([
    'WeChatAuthEnabled',
    'ServerAddress',
    'PayAddress',
    'GitHubClientId',
    'GitHubOAuthEnabled',
  ])
})
