import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'

const workflow = readFileSync(join(PROJECT, '.github/workflows/ci.yml'), 'utf8')

/** The suites that an option of `npm test` names anywhere in the workflow. */
const suitesOf = (option: string): readonly string[] => [
  ...new Set(
    [...workflow.matchAll(new RegExp(`${option} ([\\w,]+)`, 'g'))].flatMap(([, names = '']) =>
      names.split(','),
    ),
  ),
]

test('the last job of CI runs exactly the suites that no other job runs', () => {
  expect(suitesOf('--without').toSorted()).toEqual(suitesOf('--suite').toSorted())
})

test('the shards of the browser tests are complete', () => {
  const shards = [...workflow.matchAll(/--shard (\d+)\/(\d+)/g)].map(
    ([, index, count]) => `${index} of ${count}`,
  )
  expect(shards).toEqual(['1 of 2', '2 of 2'])
})
