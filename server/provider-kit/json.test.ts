import { describe, expect, test } from 'bun:test'
import { checkJsonLimits, exceedsJsonLimits } from './json.ts'

const ELEMENTS_MAX = 1_000
const exceeds = (text: string) => exceedsJsonLimits(text, ELEMENTS_MAX)
const list = (count: number, item: string) => `[${Array(count).fill(item).join()}]`
/** Texts below 8 KiB are not checked. */
const LONG = 'x'.repeat(10_000)

describe('a text of a provider is beyond the limits', () => {
  test.each([
    ['elements', list(2_000, '123456')],
    ['objects', list(2_000, '{"a":1}')],
    ['levels', `["${LONG}"${',['.repeat(200)}${']'.repeat(201)}`],
    ['elements of a text that is JSON itself', `{"arguments":${JSON.stringify(list(5_000, '1'))}}`],
    ['elements after a blank', `\n ${list(2_000, '123456')}`],
  ])('with too many %s', (_, text) => {
    expect(exceeds(text)).toBe(true)
    expect(() => checkJsonLimits(text, ELEMENTS_MAX)).toThrow('more than 1000 elements or 128 levels')
  })

  test.each([
    ['few elements', list(900, '"some text of words"')],
    ['commas in a short text', `["${LONG}","${',[{'.repeat(1_000)}"]`],
    ['brackets in a long text', `["${'[{'.repeat(10_000)}"]`],
    ['media', `{"data":"${'A'.repeat(100_000)}"}`],
    ['levels within the limit', `["${LONG}"${',['.repeat(120)}${']'.repeat(121)}`],
    ['no JSON', `event: x ${list(5_000, '1')}`],
    ['an open string', `["${LONG}`],
  ])('but not with %s', (_, text) => {
    expect(exceeds(text)).toBe(false)
  })
})
