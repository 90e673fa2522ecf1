import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { combineListeners, type Events } from '#server/api/events.ts'
import { buildBill, buildHoldRequest } from '#server/ledger/testing.ts'
import { TestNotifications } from '#server/notifications/testing.ts'
import { openLocalServer } from '#server/testing/local-server.ts'
import { createLowBalanceMonitor, type LowBalanceMonitor, recordCharges } from './low-balance.ts'

const HOUR_MS = 3_600_000

let opened: TestNotifications
let monitors: LowBalanceMonitor[]
beforeEach(async () => {
  opened = await TestNotifications.open()
  monitors = [await openMonitor(), await openMonitor()]
  recordCharges(opened.ledger, userIds => monitors[0]?.recordCharge(userIds))
})
afterEach(() => opened.close())

const openMonitor = async (allowed?: readonly string[]) =>
  createLowBalanceMonitor(await opened.openProcess(allowed))

/** Charges a user as a request does. */
async function chargeAndCheck(userId: number, units: number): Promise<void> {
  const hold = await opened.ledger.reserve(buildHoldRequest(userId, units))
  await opened.ledger.settle(hold, buildBill(units))
  await monitors[0]?.checkNow()
}

describe('a low balance warning', () => {
  test('is sent by mail with the remaining balance and a link to top up', async () => {
    const anna = await opened.addUser(2000)
    await chargeAndCheck(anna, 1400)
    expect(opened.mailServer.mails.map(({ to }) => to)).toEqual([[`${anna}@example.org`]])
    expect(opened.mailServer.mails[0]?.text).toContain('＄0.001200')
    expect(opened.mailServer.mails[0]?.text).toContain('https://gate.example/topup')
  })

  test('is not sent while the balance including holds stays above the threshold', async () => {
    const anna = await opened.addUser(9000)
    await opened.ledger.reserve(buildHoldRequest(anna, 7900))
    await chargeAndCheck(anna, 50)
    expect(opened.mailServer.mails).toEqual([])
  })

  test('is sent at most once in two hours', async () => {
    const anna = await opened.addUser(900)
    for (let i = 0; i < 3; i += 1) await chargeAndCheck(anna, 10)
    opened.nowMs += 2 * HOUR_MS - 1000
    await chargeAndCheck(anna, 10)
    expect(opened.mailServer.mails).toHaveLength(1)
    opened.nowMs += 1000
    await chargeAndCheck(anna, 10)
    expect(opened.mailServer.mails).toHaveLength(2)
  })

  test('is sent once when several processes detect the low balance at the same time', async () => {
    const anna = await opened.addUser(500)
    monitors.push(await openMonitor(), await openMonitor())
    for (const monitor of monitors) monitor.recordCharge([anna])
    await Promise.all(monitors.map(monitor => monitor.checkNow()))
    expect(opened.mailServer.mails).toHaveLength(1)
  })

  test('follows the threshold and the address of the user', async () => {
    const setting = {
      notify_type: 'email',
      quota_warning_threshold: 100,
      notification_email: 'x@example.org',
    }
    const anna = await opened.addUser(900, { setting: JSON.stringify(setting) })
    await chargeAndCheck(anna, 700)
    expect(opened.mailServer.mails).toEqual([])
    await chargeAndCheck(anna, 150)
    expect(opened.mailServer.mails.map(({ to }) => to)).toEqual([['x@example.org']])
  })

  test('is sent to a webhook with its secret as a bearer token and a signature of the body', async () => {
    const anna = await opened.addUser(900, { setting: opened.webhookSetting() })
    await chargeAndCheck(anna, 10)
    const [request] = opened.webhook.requests
    expect(request?.method).toBe('POST')
    expect(request?.headers.get('authorization')).toBe('Bearer hush')
    const signature = createHmac('sha256', 'hush')
      .update(request?.body ?? '')
      .digest('hex')
    expect(request?.headers.get('x-webhook-signature')).toBe(signature)
    const body = JSON.parse(request?.body ?? '{}')
    expect(body).toMatchObject({
      type: 'quota_exceed',
      values: ['＄0.001780', 'https://gate.example/topup'],
      timestamp: opened.nowMs / 1000,
    })
    expect(body.content).not.toContain('{{')
    expect(opened.mailServer.mails).toEqual([])
  })

  test("is sent through the administrator's worker if there is one", async () => {
    const worker = openLocalServer()
    worker.handlers['/'] = () => new Response('ok')
    await opened.setOptions({
      WorkerUrl: worker.url,
      WorkerValidKey: opened.secrets.encrypt('worker key'),
    })
    monitors = [await openMonitor()]
    const setting = opened.webhookSetting({ webhook_url: 'https://hook.example/x' })
    await chargeAndCheck(await opened.addUser(900, { setting }), 10)
    expect(JSON.parse(worker.requests[0]?.body ?? '{}')).toMatchObject({
      url: 'https://hook.example/x',
      key: 'worker key',
      method: 'POST',
      headers: { authorization: 'Bearer hush' },
      body: { type: 'quota_exceed' },
    })
    await worker.close()
  })

  test('is never sent to a private address', async () => {
    monitors = [await openMonitor([])]
    await chargeAndCheck(await opened.addUser(900, { setting: opened.webhookSetting() }), 10)
    expect(opened.webhook.requests).toEqual([])
    expect(opened.logged).toContain('a low balance warning could not be sent')
    expect(opened.logged).not.toContain(opened.webhook.url)
  })

  test('is sent again ten minutes after it could not be delivered', async () => {
    opened.webhook.handlers['/hook'] = () => new Response('', { status: 500 })
    const anna = await opened.addUser(900, { setting: opened.webhookSetting() })
    for (let i = 0; i < 3; i += 1) await chargeAndCheck(anna, 10)
    expect(opened.webhook.requests).toHaveLength(1)
    opened.nowMs += 10 * 60_000
    opened.webhook.handlers['/hook'] = () => new Response('ok')
    for (let i = 0; i < 3; i += 1) await chargeAndCheck(anna, 10)
    expect(opened.webhook.requests).toHaveLength(2)
  })

  test('of an organisation is sent as its feature says', async () => {
    const acme = await opened.addUser(900, { email: '' })
    await opened.db.updateTable('users').set({ kind: 'organization' }).where('id', '=', acme).execute()
    const subjects: string[] = []
    const listener: Partial<Events> = {
      notifierOf: async ({ id, kind }) =>
        id === acme && kind === 'organization'
          ? async ({ subject }) => void subjects.push(subject.en)
          : undefined,
    }
    monitors = [
      createLowBalanceMonitor({ ...(await opened.openProcess()), events: combineListeners([listener]) }),
    ]
    for (let i = 0; i < 2; i += 1) await chargeAndCheck(acme, 10)
    expect(subjects).toEqual(['Your balance is running low'])
    await chargeAndCheck(await opened.addUser(900), 10)
    expect(opened.mailServer.mails).toHaveLength(1)
  })

  test('is sent to a user without an address once they have one', async () => {
    const anna = await opened.addUser(900, { email: '' })
    await chargeAndCheck(anna, 10)
    await opened.db.updateTable('users').set({ email: 'a@example.org' }).where('id', '=', anna).execute()
    await chargeAndCheck(anna, 10)
    expect(opened.mailServer.mails).toHaveLength(1)
  })
})
