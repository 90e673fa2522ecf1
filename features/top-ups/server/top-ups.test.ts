import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { listSelfLogs } from '#features/logs/contract/logs.ts'
import { auditLedger } from '#server/ledger/audit.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { listSelfTopUps, listTopUps } from '../contract.ts'
import { signFields } from './callback.ts'

const KEY = 'the merchant key'
let app: TestApp
let anna: TestClient
beforeEach(async () => {
  app = await openTestApp()
  anna = await app.addUser({ username: 'anna' })
  await options({
    ServerAddress: 'https://gate.example.org/',
    PayAddress: 'https://pay.example.org/',
    EpayId: '1001',
    EpayKey: KEY,
  })
})
afterEach(() => app.close())

const options = async (values: Readonly<Record<string, string>>) => {
  const body = JSON.stringify(Object.entries(values).map(([key, value]) => ({ key, value })))
  const response = await app.root.fetch('/api/option/', { method: 'PUT', body })
  expect((await response.json()).success).toBe(true)
}
const post = async (path: string, body: object, client = anna) =>
  (await client.fetch(path, { method: 'POST', body: JSON.stringify(body) })).json()
const amount = (order: unknown) => post('/api/user/amount', { amount: order, top_up_code: '' })
const pay = (order: unknown = 10, payment_method = 'zfb') =>
  post('/api/user/pay', { amount: order, top_up_code: '', payment_method })

/** The callback that the payment provider sends for a paid order. */
const noticeOf = (fields: Record<string, string>, change: Record<string, string> = {}, key = KEY) => {
  const { pid = '', type = '', out_trade_no = '', name = '', money = '' } = fields
  const notice = {
    pid,
    type,
    out_trade_no,
    name,
    money,
    trade_no: '2026112100001',
    trade_status: 'TRADE_SUCCESS',
    ...change,
  }
  return { ...notice, sign_type: 'MD5', sign: signFields(notice, key) }
}
const NOTIFY = '/api/user/epay/notify'
const deliver = async (notice: Record<string, string>) =>
  (await app.visitor.fetch(`${NOTIFY}?${new URLSearchParams(notice)}`)).text()
const postForm = (path: string, body?: BodyInit) =>
  app.visitor.fetch(path, { method: 'POST', ...(body !== undefined && { body }) })
const quotaOf = async (client: TestClient) => (await client.call(getSelf)).data.quota
const timeline = async () => (await anna.call(listSelfTopUps)).data.items[0]?.timeline.map(e => e.event)

describe('200', () => {
  test('quotes the price with two decimals and the ratio of the group', async () => {
    expect(await amount(10)).toEqual({ message: 'success', data: '73.00' })
    await options({ TopupGroupRatio: '{"default":0.95}', Price: '7.31' })
    expect(await amount(1)).toEqual({ message: 'success', data: '6.94' })
    await options({ TopupGroupRatio: '{"default":0}' })
    expect(await amount(1)).toEqual({ message: 'success', data: '7.31' })
  })

  test('takes amounts in quota units when the options display units', async () => {
    await options({ DisplayInCurrencyEnabled: 'false' })
    expect(await amount(750_000)).toEqual({ message: 'success', data: '10.95' })
    expect((await amount(499_999)).code).toBe('top_up.too_little')
  })

  test('returns the signed form for the payment provider', async () => {
    const { message, data, url } = await pay(10, 'wx')
    expect({ message, url }).toEqual({ message: 'success', url: 'https://pay.example.org/submit.php' })
    expect(data).toMatchObject({
      pid: '1001',
      type: 'wxpay',
      notify_url: 'https://gate.example.org/api/user/epay/notify',
      return_url: 'https://gate.example.org/log',
      name: 'TUC10',
      money: '73.00',
      device: 'pc',
      sign_type: 'MD5',
      sign: signFields(data, KEY),
    })
    expect(data.out_trade_no).toMatch(new RegExp(`^USR${anna.id}NO[A-Za-z0-9]{6}\\d+$`))
    await options({ CustomCallbackAddress: 'https://callback.example.org/' })
    expect((await pay()).data.notify_url).toBe('https://callback.example.org/api/user/epay/notify')
  })

  test('posts a paid order and shows its timeline to the owner and administrators', async () => {
    const { data } = await pay()
    expect(await deliver(noticeOf(data))).toBe('success')
    expect(await quotaOf(anna)).toBe(5_000_000)
    expect((await anna.call(listSelfLogs)).data.items).toMatchObject([{ type: 1, quota: 5_000_000 }])
    expect(await timeline()).toEqual(['created', 'sent', 'callback', 'signature', 'credited'])
    const audit = await (await app.root.fetch('/api/audit/?action=top-up')).json()
    expect(audit.data.items).toMatchObject([
      { credential: 'payment', code: '', input: { paid: expect.any(String) } },
    ])
    expect((await app.root.call(listTopUps)).data).toMatchObject({
      total: 1,
      items: [{ user_id: anna.id, status: 'success', money: '73.00', quota: 5_000_000 }],
    })
    expect((await app.root.call(listSelfTopUps)).data.total).toBe(0)
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test.each<readonly [string, (notice: URLSearchParams) => readonly [string, BodyInit?]]>([
    ['an urlencoded form', notice => [NOTIFY, notice]],
    [
      'a multipart form',
      notice => {
        const form = new FormData()
        for (const [name, value] of notice) form.append(name, value)
        return [NOTIFY, form]
      },
    ],
    ['a query without a body', notice => [`${NOTIFY}?${notice}`]],
    ['a form, to the path with a slash', notice => [`${NOTIFY}/`, notice]],
  ])('takes a callback that is posted as %s, once', async (_, callOf) => {
    const { data } = await pay()
    const wrong = new URLSearchParams({ ...noticeOf(data), money: '0.01' })
    expect(await (await postForm(...callOf(wrong))).text()).toBe('fail')
    const notice = new URLSearchParams(noticeOf(data))
    for (let call = 0; call < 2; call += 1) {
      const response = await postForm(...callOf(notice))
      expect(response.headers.get('content-type')).toStartWith('text/plain')
      expect(await response.text()).toBe('success')
    }
    expect(await quotaOf(anna)).toBe(5_000_000)
    expect((await auditLedger(app.db)).drift).toBe(0)
  })

  test('leads a browser that posts its way back from a payment to the page, and credits nothing', async () => {
    const { data } = await pay()
    const back = new URLSearchParams(noticeOf(data))
    const response = await app.visitor.fetch('/log', { method: 'POST', body: back, redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([303, '?'])
    expect(await quotaOf(anna)).toBe(0)
  })

  test('credits an order once in a hundred concurrent callbacks and never again', async () => {
    const notice = noticeOf((await pay()).data)
    const responses = await Promise.all(Array.from({ length: 100 }, () => deliver(notice)))
    expect(new Set(responses)).toEqual(new Set(['success']))
    expect(await deliver(notice)).toBe('success')
    expect(await quotaOf(anna)).toBe(5_000_000)
    expect((await auditLedger(app.db)).drift).toBe(0)
  }, 60_000)

  test('accepts a callback of an unpaid order without crediting it', async () => {
    const { data } = await pay()
    expect(await deliver(noticeOf(data, { trade_status: 'WAIT_BUYER_PAY' }))).toBe('success')
    expect(await quotaOf(anna)).toBe(0)
    expect(await deliver(noticeOf(data, { money: '73' }))).toBe('success')
    expect(await quotaOf(anna)).toBe(5_000_000)
  })
})

describe('errors', () => {
  test('credits nothing for forged, underpaid, foreign and unknown callbacks', async () => {
    const { data } = await pay()
    for (const notice of [
      noticeOf(data, {}, 'another key'),
      { ...noticeOf(data), money: '730.00' },
      noticeOf(data, { money: '0.01' }),
      noticeOf(data, { money: '73.01' }),
      noticeOf(data, { money: 'much' }),
      noticeOf(data, { pid: '1002' }),
      noticeOf(data, { type: 'wxpay' }),
      noticeOf(data, { out_trade_no: 'USR1NOabcdef1' }),
      {},
    ])
      expect(await deliver(notice)).toBe('fail')
    expect(await quotaOf(anna)).toBe(0)
    expect(await timeline()).toContain('refused')
  })

  test('rejects callbacks while nothing is configured, even signed with an empty key', async () => {
    const { data } = await pay()
    await options({ EpayKey: '' })
    expect(await deliver(noticeOf(data, {}, ''))).toBe('fail')
    expect(await quotaOf(anna)).toBe(0)
  })

  test('bounds the timeline of an order under repeated callbacks', async () => {
    const { data } = await pay()
    const notice = noticeOf(data, {}, 'another key')
    for (let n = 0; n < 60; n++) await deliver(notice)
    expect((await timeline())?.length).toBe(50)
    expect(await deliver(noticeOf(data))).toBe('success')
    expect((await timeline())?.slice(50)).toEqual(['credited'])
  })

  test("rejects amounts below the minimum or without a price, in these endpoints' own envelope", async () => {
    await options({ MinTopUp: '5' })
    for (const order of [4, 0, -10, 'much', null])
      expect(await amount(order)).toMatchObject({ message: 'error', code: 'top_up.too_little' })
    for (const order of [5.5, '7.25'])
      expect(await amount(order)).toMatchObject({ message: 'error', code: 'top_up.not_whole' })
    await options({ Price: '0' })
    expect(await amount(5)).toMatchObject({ message: 'error', code: 'top_up.money_too_little' })
    expect((await amount(1e14)).code).toBe('top_up.too_much')
    expect((await pay(4)).code).toBe('top_up.too_little')
  })

  test('rejects unknown payment methods and unconfigured payment', async () => {
    expect(await pay(10, 'shells')).toMatchObject({ message: 'error', code: 'top_up.unknown_method' })
    expect((await pay(10, 'toString')).code).toBe('top_up.unknown_method')
    await options({ EpayId: '' })
    expect((await amount(10)).code).toBe('top_up.not_configured')
    expect((await pay()).code).toBe('top_up.not_configured')
    expect((await anna.call(listSelfTopUps)).data.total).toBe(0)
  })
})
