import { expect, test } from 'bun:test'
import { redactKey } from './redact-key.ts'

const KEY = 'id+of/key==|secret of the key'
const redactedMessage = (text: string) => redactKey({ status: 400, code: 'c', message: text }, KEY).message

test.each([
  ['as a whole', KEY],
  ['by its first part', 'id+of/key=='],
  ['by its second part', 'secret of the key'],
  ['as a URL encodes it', encodeURIComponent('id+of/key==')],
  ['as a form encodes it', 'secret+of+the+key'],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in base64url without padding', Buffer.from('id+of/key==').toString('base64url')],
  ['in JSON inside the text', JSON.stringify({ key: 'secret of the key' })],
  ['in upper case', KEY.toUpperCase()],
  ['reversed', [...KEY].toReversed().join('')],
  ['in hexadecimal', Buffer.from(KEY).toString('hex')],
  [
    'in hexadecimal with colons',
    Buffer.from(KEY).toString('hex').toUpperCase().match(/../g)?.join(':') ?? '',
  ],
  ['split by zero-width spaces', [...'secret of the key'].join('\u200b')],
  ['split by soft hyphens and variation selectors', [...'secret of the key'].join('\u00ad\ufe0f')],
  ['split by line breaks', 'secret\n of the\r\n key'],
  ['with every byte percent-encoded', [...Buffer.from(KEY)].map(byte => `%${byte.toString(16)}`).join('')],
  ['with some letters percent-encoded', 's%65cret%20of th%65 k%65y'],
  ['with escapes of JSON', '\\u0073ecret of the \\u006Bey'],
  ['with references of HTML', '&#115;ecret of the &#x6B;ey'],
])('redacts a key that is quoted %s', (_, quoted) => {
  expect(redactedMessage(`bad key ${quoted}, sorry`)).toMatch(
    /^bad key (\[key\]|\{"key":"\[key\]"\}), sorry$/,
  )
})

const API_KEY = 'sk-ant-api03-a1B2c3D4e5F6g7H8i9J0'
const wide = (text: string) =>
  text.replaceAll(/[!-~]/g, character => String.fromCharCode(character.charCodeAt(0) + 0xfee0))

test.each([
  ['without its prefix', API_KEY.slice(3)],
  ['without all of its prefix', API_KEY.slice(13)],
  ['with dashes between its characters', [...API_KEY].join('-')],
  ['without its own dashes', API_KEY.replaceAll('-', '')],
  ['with dots and blanks between its characters', [...API_KEY].join(' . ')],
  ['in full width', wide(API_KEY)],
  ['in Base64 without its prefix', Buffer.from(API_KEY.slice(3)).toString('base64')],
])('redacts a key of an API that is quoted %s', (_, quoted) => {
  const { message } = redactKey({ status: 400, code: 'c', message: `bad key ${quoted} or not` }, API_KEY)
  expect(message).toMatch(/^bad key \[key\]( or not|or not)$/)
})

test('leaves words that are in a key, and takes little time for separators', () => {
  const words = 'ant api03 a1B2c3D4 and sk- are no key'
  const failure = { status: 400, code: 'c', message: words }
  expect(redactKey(failure, API_KEY).message).toBe(words)
  const startedMs = performance.now()
  for (const run of ['s ', 'sk-', 's-k- -', 's\u200b', '%'])
    redactKey({ ...failure, message: `s${run.repeat(30_000)}k` }, API_KEY)
  expect(performance.now() - startedMs).toBeLessThan(2_000)
})

test.each([0, 1, 2, 3, 7])('redacts a key in Base64 with %d bytes before it and others behind', before => {
  for (const encoding of ['base64', 'base64url'] as const)
    for (const part of [KEY, 'id+of/key==', 'secret of the key']) {
      const text = Buffer.from(`${'Bearer '.slice(0, before)}${part}, and more`).toString(encoding)
      const [quoted = ''] = redactedMessage(`header ${text}`).split(' ').slice(1)
      expect(quoted).toMatch(/^[\w+/-]*\[key\]$/)
      expect(Buffer.from(quoted.replace('[key]', ''), 'base64').toString()).not.toContain(part.slice(0, 2))
    }
})

test('takes no longer for a long text that almost contains the key', () => {
  const text = 'secret of the ke'.repeat(4_000)
  const startedMs = performance.now()
  expect(redactedMessage(text)).toBe(text)
  expect(performance.now() - startedMs).toBeLessThan(500)
})

test('redacts the key in every field of a failure', () => {
  const failure = { status: 400, code: `bad ${KEY}`, message: 'bad', type: `bad ${KEY}`, param: KEY }
  expect(redactKey(failure, KEY)).toEqual({
    status: 400,
    code: 'bad [key]',
    message: 'bad',
    type: 'bad [key]',
    param: '[key]',
  })
})

test('returns a failure without the key unchanged and ignores short keys', () => {
  const failure = { status: 400, code: 'c', message: 'the word lab is short' }
  expect(redactKey(failure, 'lab')).toBe(failure)
  expect(redactKey(failure, KEY)).toBe(failure)
})

test.each([1_200, 24_000])('redacts a file of %d bytes, such as that of a service account', length => {
  const secret = Buffer.from(Array.from({ length }, (_, at) => (at * at * 31 + at * 7) % 251)).toString(
    'base64',
  )
  const key = JSON.stringify({
    type: 'service_account',
    private_key: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n`,
    client_email: 'relay@demo-project.iam.gserviceaccount.com',
  })
  const redacted = (message: string) => redactKey({ status: 401, code: 'c', message }, key).message
  expect(redacted('invalid credentials')).toBe('invalid credentials')
  for (const quoted of [key, Buffer.from(key).toString('base64'), Buffer.from(key).toString('hex')])
    expect(redacted(`bad key ${quoted}, sorry`)).toBe('bad key [key], sorry')
})
