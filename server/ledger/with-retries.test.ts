import { expect, test } from 'bun:test'
import { withRetries } from './commit.ts'

const errorOf = (code: string) => Object.assign(new Error(code), { code })

for (const code of ['40001', '40P01'])
  test(`repeats work that fails with ${code}`, async () => {
    let runs = 0
    const result = await withRetries(() => {
      runs += 1
      return runs < 3 ? Promise.reject(errorOf(code)) : Promise.resolve('done')
    })
    expect([result, runs]).toEqual(['done', 3])
  })

test('rethrows any other error immediately', async () => {
  let runs = 0
  const work = withRetries(() => {
    runs += 1
    return Promise.reject(errorOf('SQLITE_FULL'))
  })
  await expect(work).rejects.toThrow('SQLITE_FULL')
  expect(runs).toBe(1)
})

test('rethrows a conflict after the last attempt', async () => {
  await expect(withRetries(() => Promise.reject(errorOf('40P01')))).rejects.toThrow('40P01')
})
