import { expect, test } from 'bun:test'
import { signTc3 } from './action-api.ts'

const BODY = '{"Model":"hunyuan-lite","Messages":[{"Role":"user","Content":"hello"}],"Stream":false}'

test('matches the published signature vector', () => {
  expect(
    signTc3(BODY, {
      key: '1250000000|AKIDexampleexample|SKexampleexample',
      action: 'ChatCompletions',
      nowSeconds: 1717243200,
    }),
  ).toEqual({
    'x-tc-action': 'ChatCompletions',
    'x-tc-version': '2023-09-01',
    'x-tc-timestamp': '1717243200',
    authorization:
      'TC3-HMAC-SHA256 Credential=AKIDexampleexample/2024-06-01/hunyuan/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=d86ae08d950fa22c137c1781e69397519783eb9ad402192fb23751f28a55efb8',
  })
})

test('rejects a malformed key', () => {
  expect(() => signTc3(BODY, { key: 'one|two', action: 'ChatCompletions', nowSeconds: 0 })).toThrow(
    'AppId|SecretId|SecretKey',
  )
})
