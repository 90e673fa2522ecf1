import { expect, test } from 'bun:test'
import { maskSecrets } from './mask-secrets.ts'

test.each([
  ['Incorrect API key provided: sk-abcdef123456.', 'Incorrect API key provided: [key].'],
  ['Incorrect API key provided: sk-ab***yz.', 'Incorrect API key provided: [key].'],
  ['key AIzaSyA1234567 is suspended', 'key [key] is suspended'],
  ['Post "https://inner.example:8443/v1/x?key=1": refused', 'Post "[address]": refused'],
  ['dial tcp 10.0.0.7:443: timeout', 'dial tcp [address]: timeout'],
  ['dial tcp [fd00::12]:443: refused', 'dial tcp [address]: refused'],
  ['dial tcp [fe80::1%eth0]:443: refused', 'dial tcp [address]: refused'],
  ['no route for /rpc/2.0/chat?access_token=24.abc&x=1', 'no route for /rpc/2.0/chat?access_token=[key]&x=1'],
  ['header Bearer abc.def was refused', 'header [key] was refused'],
])('hides what a client must not learn: %j', (message, masked) => {
  expect(maskSecrets(message)).toBe(masked)
})

test('leaves an ordinary sentence as it is', () => {
  const sentence =
    "[1:2 hours], [a] and [12] stay. This model's maximum context length is 8192 tokens; jina-embeddings-v3 and app-specific limits differ."
  expect(maskSecrets(sentence)).toBe(sentence)
})

test('cuts a sentence without end', () => {
  expect(maskSecrets('a'.repeat(100_000)).length).toBeLessThan(5_000)
})
