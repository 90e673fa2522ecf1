import { afterEach, beforeEach, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { putOptions } from '#contract/options/options.ts'
import { getAbout, getHomePageContent, getNotice, getStart, getStatus } from '#contract/status.ts'
import { openTestApp, type TestApp } from '#server/testing/open-test-app.ts'

let app: TestApp
beforeEach(async () => {
  app = await openTestApp()
})
afterEach(() => app.close())

const set = (values: Readonly<Record<string, string>>) =>
  app.root.call(putOptions, { body: Object.entries(values).map(([key, value]) => ({ key, value })) })

test('returns the name and the enabled features to visitors', async () => {
  await set({
    SystemName: 'Gate',
    Footer: '<b>foot</b>',
    QuotaPerUnit: '1000',
    DisplayInCurrencyEnabled: 'false',
    DrawingEnabled: 'false',
    DataExportEnabled: 'false',
    DataExportDefaultTime: 'week',
    DataExportInterval: '7',
    DefaultCollapseSidebar: 'true',
    ChatLink: 'https://chat.example',
    Chats: '[{"a":"https://a.example/{key}"}]',
    Price: '6.5',
    MinTopUp: '3',
    ServerAddress: 'https://gate.example/',
  })
  expect((await app.visitor.call(getStatus)).data).toMatchObject({
    system_name: 'Gate',
    footer_html: '<b>foot</b>',
    quota_per_unit: 1000,
    display_in_currency: false,
    enable_drawing: false,
    enable_data_export: false,
    data_export_default_time: 'week',
    data_export_interval: 7,
    default_collapse_sidebar: true,
    chat_link: 'https://chat.example',
    chats: [{ a: 'https://a.example/{key}' }],
    price: 6.5,
    min_topup: 3,
    server_address: 'https://gate.example',
    enable_online_topup: false,
  })
})

test('returns announcement, about and home page, empty when unset', async () => {
  for (const [endpoint, key] of [
    [getNotice, 'Notice'],
    [getAbout, 'About'],
    [getHomePageContent, 'HomePageContent'],
  ] as const) {
    expect((await app.visitor.call(endpoint)).data).toBe('')
    await set({ [key]: '# hello' })
    expect((await app.visitor.call(endpoint)).data).toBe('# hello')
  }
})

test('reports the database connection to administrators', async () => {
  const ask = async () => {
    const response = await app.root.fetch('/api/status/test')
    return { status: response.status, success: (await response.json()).success }
  }
  expect(await ask()).toEqual({ status: 200, success: true })
})

test('returns status, announcement and account in one call, and no account to visitors', async () => {
  await set({ Notice: '# hello' })
  const anna = await app.addUser({ username: 'anna', quota: 7 })
  const { data: status } = await app.visitor.call(getStatus)
  expect((await app.visitor.call(getStart)).data).toEqual({ status, notice: '# hello' })
  const { data: self } = await anna.call(getSelf)
  expect((await anna.call(getStart)).data).toEqual({ status, notice: '# hello', self })
  expect(self).toMatchObject({ username: 'anna', quota: 7, password: '' })
  expect((await app.root.call(getStart)).data).toMatchObject({ unnamed_proxies: [] })
})
