import { expect, test } from 'bun:test'
import { withoutKey } from './redact-key.ts'

const KEY = 'id+of/key==|secret of the key'
const told = (text: string) => withoutKey({ status: 400, code: 'c', message: text }, KEY).message

test.each([
  ['whole', KEY],
  ['in one of its parts', 'id+of/key=='],
  ['in the other of its parts', 'secret of the key'],
  ['as an address writes it', encodeURIComponent('id+of/key==')],
  ['as a form writes it', 'secret+of+the+key'],
  ['in base64', Buffer.from(KEY).toString('base64')],
  ['in base64 without its end', Buffer.from('id+of/key==').toString('base64url')],
  ['as JSON inside a text', JSON.stringify({ key: 'secret of the key' })],
])('a key that is quoted %s is hidden', (_, quoted) => {
  expect(told(`bad key ${quoted}, sorry`)).toMatch(/^bad key (\[key\]|\{"key":"\[key\]"\}), sorry$/)
})

test('wherever in a failure it is quoted', () => {
  const failure = { status: 400, code: `bad ${KEY}`, message: 'bad', type: `bad ${KEY}`, param: KEY }
  expect(withoutKey(failure, KEY)).toEqual({
    status: 400,
    code: 'bad [key]',
    message: 'bad',
    type: 'bad [key]',
    param: '[key]',
  })
})

test('a failure that quotes none is given as it is, and short words of a key stay', () => {
  const failure = { status: 400, code: 'c', message: 'the word lab is short' }
  expect(withoutKey(failure, 'lab')).toBe(failure)
  expect(withoutKey(failure, KEY)).toBe(failure)
})
