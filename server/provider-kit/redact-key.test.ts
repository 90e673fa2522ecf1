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
])('redacts a key that is quoted %s', (_, quoted) => {
  expect(redactedMessage(`bad key ${quoted}, sorry`)).toMatch(
    /^bad key (\[key\]|\{"key":"\[key\]"\}), sorry$/,
  )
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
