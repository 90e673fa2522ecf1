import { expect, test } from 'bun:test'
import { describeChanges, digestOf, splitContract, toText } from './gateway-contract.ts'

const CONTRACT = `# Title

## Models \u2014 optional

Return the list.
It has ids.

| Status | Meaning |
|---|---|
| 404 | none |

## Errors

- 401: sign in again
- 429: wait
`
const POINTS = Object.fromEntries(
  [...splitContract(CONTRACT)].map(([title, points]) => [title, points.map(digestOf)]),
)

test('reads the text of a literal up to its end', () => {
  expect(toText('a \\u2014 \\`b\\` \\xA7 \u0024{ss}, c`;var x=`d`')).toBe('a \u2014 `b` \u00a7 \u2026, c')
})

test('splits a contract into paragraphs, rows and items', () => {
  expect([...splitContract(CONTRACT)]).toEqual([
    ['Models \u2014 optional', ['Return the list. It has ids.', '| Status | Meaning |', '| 404 | none |']],
    ['Errors', ['- 401: sign in again', '- 429: wait']],
  ])
})

test('says nothing of a contract that is the same in other lines', () => {
  expect(describeChanges(POINTS, CONTRACT)).toEqual([])
  expect(describeChanges(POINTS, CONTRACT.replace('Return the list.\n', 'Return the list. '))).toEqual([])
})

test('says what is new, changed and gone', () => {
  const next = CONTRACT.replace('- 429: wait', '- 429: wait longer').replace(
    /## Models[^#]+/,
    '## Usage\n\nNew.\n\n',
  )
  expect(describeChanges(POINTS, next)).toEqual([
    'Models \u2014 optional: the section is gone',
    'Usage: 1 new, 0 gone',
    '  + New.',
    'Errors: 1 new, 1 gone',
    '  + - 429: wait longer',
  ])
})
