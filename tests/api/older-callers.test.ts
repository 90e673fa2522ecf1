import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { register } from '#features/account/contract.ts'
import { listLogs } from '#features/logs/contract/logs.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app.close())

const ask = async (address: string) => (await app.root.fetch(address)).json()

describe('numbers in queries of scripts and older consoles', () => {
  test.each([
    '/api/log/?p=1&page_size=10&type=&channel=&start_timestamp=NaN&end_timestamp=null',
    '/api/log/self/?p=0&page_size=10&type=undefined',
    '/api/log/stat?type=0&start_timestamp=NaN&end_timestamp=NaN',
    '/api/mj/?p=0&channel_id=&mj_id=&start_timestamp=NaN&end_timestamp=NaN',
    '/api/task/self/?p=0&task_id=&start_timestamp=NaN',
    '/api/data/?username=&start_timestamp=NaN&end_timestamp=NaN&default_time=hour',
  ])('ignores filters that are not numbers: %s', async address => {
    expect(await ask(address)).toMatchObject({ success: true })
  })

  test('rejects a word in place of a number', async () => {
    expect(await ask('/api/log/?channel=first')).toMatchObject({ success: false, code: 'invalid_parameter' })
  })

  test.each(['0', '-1', 'abc', '', 'NaN'])('uses the default page size instead of %p', async size => {
    for (const address of [`/api/user/?page_size=${size}`, `/api/redemption/?p=0&page_size=${size}`])
      expect(await ask(address)).toMatchObject({ data: { page: 1, page_size: 10 } })
    for (const address of [`/api/token/?size=${size}`, `/api/channel/?p=-1&page_size=${size}`])
      expect(await ask(address)).toMatchObject({ page: 0, page_size: 10 })
  })

  test('limits a page to a hundred rows', async () => {
    const { data } = await app.root.call(listLogs, { query: { page_size: 100_000 } })
    expect(data.page_size).toBe(100)
  })
})

test.each([
  ['zh', 'short', '密码长度不得小于 8 位，且不得大于 20 位'],
  ['en', 'x'.repeat(21), 'a password has 8 to 20 characters'],
])('explains a password of the wrong length in words (%s)', async (language, password, words) => {
  const headers = { 'accept-language': language }
  const { message } = await app.visitor.call(register, { body: { username: 'anna', password }, headers })
  expect(message).toContain(words)
})
