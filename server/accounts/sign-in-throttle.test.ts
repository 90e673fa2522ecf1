import { expect, test } from 'bun:test'
import { createLocalRateLimiter } from '../core/rate-limit.ts'
import { throttleAttempts } from './sign-in-throttle.ts'

const succeed = () => Promise.resolve('signed in')
const fail = () => Promise.reject(new Error('wrong password'))

const attempt = (network: string, device?: string) => ({ account: 'anna', network, device })

/** Fails `count` attempts, and returns how many of them were made. */
async function failTimes(count: number, limiter: ReturnType<typeof createLocalRateLimiter>, network: string) {
  let made = 0
  for (let index = 0; index < count; index += 1)
    await throttleAttempts(attempt(network), limiter, () => {
      made += 1
      return fail()
    }).catch(() => undefined)
  return made
}

test('a refused attempt counts against no other limit', async () => {
  const limiter = createLocalRateLimiter()
  expect(await failTimes(200, limiter, '192.0.2.1')).toBe(10)
  for (let other = 0; other < 5; other += 1)
    expect(await failTimes(20, limiter, `198.51.100.${other}`)).toBe(10)
  await expect(throttleAttempts(attempt('203.0.113.1'), limiter, succeed)).rejects.toMatchObject({
    code: 'auth.too_often',
  })
})

test('the limit of an account leaves the network free for other accounts', async () => {
  const limiter = createLocalRateLimiter()
  for (let other = 0; other < 6; other += 1) await failTimes(10, limiter, `198.51.100.${other}`)
  for (let refused = 0; refused < 200; refused += 1)
    await throttleAttempts(attempt('192.0.2.1'), limiter, fail).catch(() => undefined)
  const other = { account: 'bert', network: '192.0.2.1', device: undefined }
  expect(await throttleAttempts(other, limiter, succeed)).toBe('signed in')
})

test('a success is not counted', async () => {
  const limiter = createLocalRateLimiter()
  for (let count = 0; count < 30; count += 1)
    expect(await throttleAttempts(attempt('192.0.2.1'), limiter, succeed)).toBe('signed in')
})

test('a device that has signed in before is not locked out by the failures of others', async () => {
  const limiter = createLocalRateLimiter()
  await failTimes(10, limiter, '192.0.2.1')
  expect(await throttleAttempts(attempt('192.0.2.1', 'laptop'), limiter, succeed)).toBe('signed in')
})
