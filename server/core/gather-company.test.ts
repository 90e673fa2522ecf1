import { expect, test } from 'bun:test'
import { gatherCompany } from './gather-company.ts'

const turn = () => new Promise<void>(resolve => setImmediate(resolve))

/** Gathers while in each turn as many come as named; gives how many there were in the end. */
async function gatherWhile(arrivals: readonly number[]): Promise<number> {
  let here = 1
  let isOver = false
  const gathered = gatherCompany(() => here).then(() => {
    isOver = true
  })
  for (const come of arrivals) {
    if (isOver) break
    here += come
    await turn()
  }
  const inTheEnd = here
  await gathered
  return inTheEnd
}

test('whoever comes alone waits for one turn', async () => {
  expect(await gatherWhile([0, 1, 1])).toBe(1)
})

test('as long as others come, they are waited for', async () => {
  expect(await gatherWhile([2, 3, 1, 0, 9, 9])).toBe(7)
})

test('nobody is waited for without end', async () => {
  const here = await gatherWhile(Array.from({ length: 100 }, () => 1))
  expect(here).toBeLessThanOrEqual(10)
  expect(here).toBeGreaterThan(5)
})
