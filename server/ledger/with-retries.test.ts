import { expect, test } from 'bun:test'
import { withRetries } from './with-retries.ts'

const errorOf = (code: string) => Object.assign(new Error(code), { code })

for (const code of ['40001', '40P01'])
  test(`work that ends with ${code} is done again`, async () => {
    let runs = 0
    const result = await withRetries(() => {
      runs += 1
      return runs < 3 ? Promise.reject(errorOf(code)) : Promise.resolve('done')
    })
    expect([result, runs]).toEqual(['done', 3])
  })

test('any other error passes through at once', async () => {
  let runs = 0
  const work = withRetries(() => {
    runs += 1
    return Promise.reject(errorOf('SQLITE_FULL'))
  })
  await expect(work).rejects.toThrow('SQLITE_FULL')
  expect(runs).toBe(1)
})

test('it gives up in the end', async () => {
  await expect(withRetries(() => Promise.reject(errorOf('40P01')))).rejects.toThrow('40P01')
})
