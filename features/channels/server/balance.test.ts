import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { putOptions } from '#contract/options/options.ts'
import { listBalanceReadings } from '#features/reconciliation/contract.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import * as checkEndpoints from '../contract/channel-checks.ts'
import * as endpoints from '../contract/channel-endpoints.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

const OPENAI = 1
const ANTHROPIC = 14

const create = async (change: object = {}): Promise<number> => {
  const draft = { type: OPENAI, name: 'one', key: 'sk-one', models: 'm', base_url: 'https://up.example' }
  const { data } = await app.root.call(endpoints.createChannels, {
    body: { ...draft, group: 'default', ...change },
  })
  return data[0]?.id ?? 0
}
const read = async (id: number) => (await app.root.call(endpoints.getChannel, { params: { id } })).data
const leave = (dollars: number) => {
  app.upstream.respond = ({ url }) =>
    url.includes('subscription')
      ? Response.json({ has_payment_method: true, hard_limit_usd: 100 })
      : Response.json({ total_usage: (100 - dollars) * 100 })
}
const updateOne = (id: number) => app.root.call(checkEndpoints.updateFigures, { params: { id } })
const updateAll = async () => {
  const started = await app.root.call(checkEndpoints.updateBalances)
  for (;;) {
    const { data } = await app.root.call(checkEndpoints.getBalanceProgress)
    if (!data.is_running) return { started, progress: data }
    await Bun.sleep(1)
  }
}

describe('200', () => {
  test("queries one balance with the channel's base URL and key, stores it and returns it", async () => {
    const id = await create()
    leave(12.5)
    const response = await updateOne(id)
    expect(response.envelope).toEqual({ success: true, message: '', balance: 12.5 })
    const channel = await read(id)
    expect(channel.balance).toBe(12.5)
    expect(channel.balance_updated_time).toBeGreaterThan(0)
    const { data: readings } = await app.root.call(listBalanceReadings, { params: { id } })
    expect(readings).toMatchObject([
      { balance: 12.5, currency: 'USD', created_at: channel.balance_updated_time },
    ])
    expect(app.upstream.requests[0]?.url).toBe('https://up.example/v1/dashboard/billing/subscription')
    expect(app.upstream.requests[0]?.headers.get('authorization')).toBe('Bearer sk-one')
  })

  test('reads the balance for a reconciliation', async () => {
    const id = await create()
    leave(7)
    expect(await app.root.call(checkEndpoints.readBalance, { params: { id } })).toMatchObject({
      success: true,
    })
    leave(6)
    await app.root.call(checkEndpoints.readBalance, { params: { id } })
    const { data } = await app.root.call(listBalanceReadings, { params: { id } })
    expect(data.map(({ balance }) => balance)).toEqual([6, 7])
    expect((await read(id)).balance).toBe(6)
  })

  test('updates all enabled channels with a balance in the background and counts failures', async () => {
    const first = await create()
    await create({ type: ANTHROPIC })
    const off = await create()
    await app.root.call(endpoints.updateChannel, { body: { id: off, status: 2 } })
    await create({ base_url: 'https://broken.example' })
    leave(3)
    const { respond } = app.upstream
    app.upstream.respond = request =>
      request.url.includes('broken') ? new Response('no', { status: 500 }) : respond(request)
    const { started, progress } = await updateAll()
    expect(started.success).toBe(true)
    expect(progress).toMatchObject({ total: 2, done: 2, succeeded: 1, failed: 1, disabled: 0 })
    expect((await read(first)).balance).toBe(3)
    expect((await read(off)).balance_updated_time).toBe(0)
  })

  test('disables a channel without balance only when the options and the channel allow it', async () => {
    const id = await create()
    const kept = await create({ auto_ban: 0 })
    leave(0)
    await app.root.call(putOptions, { body: { key: 'AutomaticDisableChannelEnabled', value: 'false' } })
    expect((await updateAll()).progress.disabled).toBe(0)
    await app.root.call(putOptions, { body: { key: 'AutomaticDisableChannelEnabled', value: 'true' } })
    expect((await updateAll()).progress).toMatchObject({ total: 2, disabled: 1 })
    expect(await read(id)).toMatchObject({
      status: 3,
      other_info: expect.stringContaining('the balance is used up'),
    })
    expect((await read(kept)).status).toBe(1)
  })
})

describe('errors', () => {
  test('rejects a second run', async () => {
    await create()
    const waiting = Promise.withResolvers<Response>()
    app.upstream.respond = () => waiting.promise
    expect((await app.root.call(checkEndpoints.updateBalances)).success).toBe(true)
    expect((await app.root.call(checkEndpoints.updateBalances)).code).toBe('channel.update_running')
    waiting.resolve(new Response('no', { status: 500 }))
  })

  test('rejects providers without balances, unknown channels and unreadable responses', async () => {
    expect((await updateOne(await create({ type: ANTHROPIC }))).code).toBe('channel.cannot_tell_balance')
    expect((await updateOne(999)).code).toBe('channel.unknown')
    const id = await create()
    for (const response of [() => new Response('<html>'), () => Response.json({}, { status: 401 })]) {
      app.upstream.respond = response
      const message = await updateOne(id)
      expect(message).toMatchObject({ status: 200, code: 'channel.balance_failed' })
      expect(message.message).not.toContain('sk-one')
    }
    expect((await read(id)).balance_updated_time).toBe(0)
  })
})
