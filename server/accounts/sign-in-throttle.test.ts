import { expect, test } from 'bun:test'
import { createLocalRateLimiter, type RateLimiter } from '../core/rate-limit.ts'
import { throttleAttempts } from './sign-in-throttle.ts'

const succeed = () => Promise.resolve('signed in')

const attempt = (account: string, network: string, device?: string) => ({ account, network, device })

/** Fails up to `count` attempts. Returns how many of them the throttle admitted. */
async function failTimes(count: number, limiter: RateLimiter, by: ReturnType<typeof attempt>) {
  let admitted = 0
  for (let index = 0; index < count; index += 1)
    await throttleAttempts(by, limiter, () => {
      admitted += 1
      return Promise.reject(new Error('wrong password'))
    }).catch(() => undefined)
  return admitted
}

test('admits ten failures of a network at an account, and sixty at the account', async () => {
  const limiter = createLocalRateLimiter()
  for (let network = 1; network <= 6; network += 1)
    expect(await failTimes(20, limiter, attempt('anna', `198.51.100.${network}`))).toBe(10)
  await expect(throttleAttempts(attempt('anna', '203.0.113.1'), limiter, succeed)).rejects.toMatchObject({
    code: 'auth.too_often',
  })
})

test('admits a hundred failures of a network, and counts no further one against the accounts', async () => {
  const limiter = createLocalRateLimiter()
  for (let account = 1; account <= 10; account += 1)
    expect(await failTimes(10, limiter, attempt(`user ${account}`, '192.0.2.1'))).toBe(10)
  expect(await failTimes(100, limiter, attempt('anna', '192.0.2.1'))).toBe(0)
  for (let network = 1; network <= 6; network += 1)
    expect(await failTimes(20, limiter, attempt('anna', `198.51.100.${network}`))).toBe(10)
})

test('counts no success', async () => {
  const limiter = createLocalRateLimiter()
  for (let count = 0; count < 30; count += 1)
    expect(await throttleAttempts(attempt('anna', '192.0.2.1'), limiter, succeed)).toBe('signed in')
})

test('admits a device that has signed in before, whoever else fails', async () => {
  const limiter = createLocalRateLimiter()
  await failTimes(10, limiter, attempt('anna', '192.0.2.1'))
  expect(await throttleAttempts(attempt('anna', '192.0.2.1', 'laptop'), limiter, succeed)).toBe('signed in')
})
