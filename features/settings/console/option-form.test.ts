import { expect, test } from 'bun:test'
import { sortForSaving } from './option-form.ts'

test('saves disabled flags first, then the server address, and enabled flags last', () => {
  const edits = [
    { key: 'GitHubOAuthEnabled', value: 'true' },
    { key: 'PayAddress', value: 'https://pay.example' },
    { key: 'GitHubClientId', value: 'id' },
    { key: 'ServerAddress', value: 'https://gate.example' },
    { key: 'WeChatAuthEnabled', value: 'false' },
  ] as const
  expect(sortForSaving(edits).map(({ key }) => key)).toEqual([
    'WeChatAuthEnabled',
    'ServerAddress',
    'PayAddress',
    'GitHubClientId',
    'GitHubOAuthEnabled',
  ])
})
