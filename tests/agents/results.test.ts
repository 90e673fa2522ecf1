import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { DOCUMENT, readResults, renderDocument } from './results.ts'

const SUM =
  /of (\d+) cells, (\d+) pass, (\d+) are not possible with the agent or the provider, (\d+) have not been run, and (\d+) fail\./gi

test('the page shows the recorded outcomes, and its counts add up', () => {
  const page = readFileSync(DOCUMENT, 'utf8')
  expect(page).toBe(renderDocument(readResults()))
  const sums = [...page.matchAll(SUM)].map(([, ...counts]) => counts.map(Number))
  expect(sums).toHaveLength(2)
  for (const [cells = 0, ...counts] of sums) expect(counts.reduce((sum, count) => sum + count, 0)).toBe(cells)
})
