import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Locator, Route } from 'playwright-core'
import { getAnalytics } from '#features/analytics/contract.ts'
import { listChannels } from '#features/channels/contract/channel-endpoints.ts'
import { insertMinutes, NO_SUMS } from '#server/db/usage/totals.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { callChat } from '../harness/call-chat.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { inDatabase } from '../harness/in-database.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setScenario } from '../harness/lab-namespace.ts'
import { waitUntil } from '../harness/wait-until.ts'

/** Forms of keys, with no more than their forms. */
const KEYS = {
  OpenAI: `sk-proj-${'o'.repeat(40)}`,
  'Anthropic Claude': `sk-ant-api03-${'a'.repeat(40)}`,
  'Google Gemini': `AIza${'g'.repeat(35)}`,
  OpenRouter: `sk-or-v1-${'r'.repeat(40)}`,
  xAI: `xai-${'x'.repeat(40)}`,
}
const MODEL = 'gpt-4o-mini'
const DAY_SECONDS = 24 * 3600
const DOLLAR = 500_000
/** Within which an operator who looks at the dashboard is concern. */
const NOTICE_TIMEOUT_MS = 60_000
/** The analytics count every ten seconds. */
const COUNT_TIMEOUT_MS = 30_000

describeConsole({ hasProblems: true })

let job: Job

beforeEach(async () => {
  await openAs(site.root)
  job = startJob()
})

interface Job {
  press(target: Locator): Promise<void>
  fill(target: Locator, text: string): Promise<void>
  /** Clicks and filled fields so far. */
  effort(): { readonly clicks: number; readonly fields: number }
}

/** Counts what a person does. A menu is opened by a click and chosen from by another; a key counts as the click that it saves. */
function startJob(): Job {
  let [clicks, fields] = [0, 0]
  return {
    async press(target) {
      clicks += 1
      await target.click()
    },
    async fill(target, text) {
      fields += 1
      await target.fill(text)
    },
    effort: () => ({ clicks, fields }),
  }
}

/** Providers are the lab: only the address that their default has here is another one. */
async function leadToLab(): Promise<void> {
  const toLab = (route: Route) => {
    const body: unknown = route.request().postDataJSON()
    return typeof body === 'object' && body !== null && 'key' in body
      ? route.continue({ postData: JSON.stringify({ ...body, base_url: site.lab.url }) })
      : route.continue()
  }
  await page.route('**/api/channel/fetch_models', toLab)
  await page.route('**/api/channel/', toLab)
}

const link = (name: string | RegExp) => page.getByRole('link', { name })
const button = (name: string | RegExp) => page.getByRole('button', { name })
const keys = () => page.getByLabel('Keys')
const attention = () => page.getByRole('region', { name: 'Needs attention' })

const chat = (key: string, model: string, content = 'hello') =>
  callChat({ url: site.gateway.url, key, body: { model, messages: [{ role: 'user', content }] } })

describe('an empty installation', () => {
  test('has its first answer after six clicks and two fields at most, once root is signed in', async () => {
    await leadToLab()
    await page.goto(`${site.gateway.url}/token`)
    await job.press(link('Create a channel'))
    await job.fill(keys(), KEYS.OpenAI)
    await job.press(button('Create 1 channel'))
    await page.waitForURL('**/channel')
    await job.press(link('Playground'))
    await job.fill(page.getByRole('textbox', { name: 'Message' }), 'hello')
    await job.press(button('Send'))
    await page.getByText('Hello from the lab').first().waitFor()
    expect(job.effort()).toEqual({ clicks: 4, fields: 2 })
  })

  test('has five channels of pasted keys after four clicks and one field', async () => {
    await leadToLab()
    await page.goto(`${site.gateway.url}/token`)
    await job.press(link('Channels'))
    await job.press(button('More list actions'))
    await job.press(page.getByRole('menuitem', { name: 'Add by key' }))
    await job.fill(keys(), Object.values(KEYS).join('\n'))
    await job.press(button('Create 5 channels'))
    await page.waitForURL('**/channel')
    await page.getByText('5 channels created').waitFor()
    const channels = (await site.root.call(listChannels, {})).slice(0, Object.keys(KEYS).length)
    expect(channels.map(({ name }) => name).toSorted()).toEqual(Object.keys(KEYS).toSorted())
    expect(channels.filter(({ models }) => models === '')).toEqual([])
    expect(channels.map(({ setting }) => setting)).toEqual(Array(5).fill('{"purchase_factor":1}'))
    expect(job.effort()).toEqual({ clicks: 4, fields: 1 })
  })
})

describe('a running installation', () => {
  let anna: AdminClient

  beforeAll(async () => {
    anna = await addUser(site.gateway, { username: 'anna', wallet: 10 * DOLLAR })
    await addLabChannel(site.root, site.lab, {
      provider: 'openai',
      models: [MODEL],
      name: 'Margin',
      priority: 9,
      draft: { setting: '{"purchase_factor":0.5}' },
    })
    const { key } = await addToken(anna)
    await chat(key, MODEL)
  })

  test('tells its operator in one click why a request failed, and why one was rejected', async () => {
    const { key } = await addToken(anna, { name: 'of anna', model_limits_enabled: true, model_limits: MODEL })
    await chat(key, MODEL, 'hello [lab: context-length]')
    await chat(key, 'o3-mini')
    await page.goto(`${site.gateway.url}/detail`)
    await job.press(
      page.getByRole('region', { name: 'Recent failures' }).getByRole('link', { name: 'of anna' }),
    )
    const sheet = page.getByRole('dialog')
    await sheet.getByText('the token may not use the model o3-mini').first().waitFor()
    await sheet.getByRole('link', { name: 'Open user' }).waitFor()
    expect(job.effort()).toEqual({ clicks: 1, fields: 0 })
  })

  test('tells its users in two clicks', async () => {
    await openAs(anna)
    await page.goto(`${site.gateway.url}/token`)
    await job.press(page.getByRole('navigation').getByRole('link', { name: 'Log', exact: true }))
    const row = page.locator('tbody tr[data-row]', { hasText: 'o3-mini' })
    await job.press(row.getByRole('link', { name: /^\d{4}-/ }))
    const sheet = page.getByRole('dialog')
    await sheet.getByRole('link', { name: 'Edit token' }).waitFor()
    expect(job.effort()).toEqual({ clicks: 2, fields: 0 })
  })

  test('prices a new model in three clicks', async () => {
    await addLabChannel(site.root, site.lab, { provider: 'openai', models: ['eu.gpt-4o-mini-private'] })
    await page.goto(`${site.gateway.url}/detail`)
    await job.press(attention().getByRole('link', { name: /cannot be called for want of a price/ }))
    await job.press(button(/^Take the proposed price/))
    await job.press(button('Save'))
    await page.getByText('Saved').first().waitFor()
    expect(job.effort()).toEqual({ clicks: 3, fields: 0 })
    const { key } = await addToken(site.root)
    expect((await chat(key, 'eu.gpt-4o-mini-private')).status).toBe(200)
  })

  test('shows the margin by channel and model in one click', async () => {
    await waitUntil(
      { description: 'the analytics to count the request', timeoutMs: COUNT_TIMEOUT_MS },
      async () => {
        const { groups } = await site.root.call(getAnalytics, { query: { by: 'channel', measure: 'margin' } })
        return groups.some(({ name }) => name === 'Margin')
      },
    )
    await page.goto(`${site.gateway.url}/detail`)
    await job.press(page.getByRole('term').getByRole('link', { name: 'Margin' }))
    await page.getByRole('columnheader', { name: 'Margin' }).waitFor()
    await page
      .getByRole('row', { name: /^Margin gpt-4o-mini \$0/ })
      .first()
      .waitFor()
    expect(job.effort()).toEqual({ clicks: 1, fields: 0 })
  })

  test('tells of a dead channel within a minute, and leads to it in one click', async () => {
    const model = 'gpt-4o'
    const namespace = 'dies'
    await addLabChannel(site.root, site.lab, {
      provider: 'openai',
      models: [model],
      name: 'Dying',
      namespace,
      priority: 99,
    })
    const { key } = await addToken(site.root)
    expect((await chat(key, model)).status).toBe(200)
    await page.goto(`${site.gateway.url}/detail`)
    const concern = attention().getByRole('link', { name: /Channel Dying/ })
    expect(await concern.count()).toBe(0)
    await setScenario(site.lab, namespace, 'status-401')
    await chat(key, model)
    await chat(key, model)
    await concern.waitFor({ timeout: NOTICE_TIMEOUT_MS })
    await job.press(concern)
    await page.getByRole('dialog', { name: /Dying/ }).waitFor()
    expect(job.effort()).toEqual({ clicks: 1, fields: 0 })
  })

  test('shows who spent most yesterday unasked', async () => {
    const midnight = Math.floor(new Date(new Date().setHours(0, 0, 0, 0)).getTime() / 1000)
    const place = { minute: midnight - DAY_SECONDS / 2, channel_id: 1, group: 'default', model_name: MODEL }
    const kind = {
      token_id: 0,
      dialect: 'openai',
      error: '',
      region: '',
      plan: '',
      first_token: '',
      duration: '',
    }
    const spent = { ...NO_SUMS, ...place, ...kind, user_id: anna.userId, requests: 4, quota: 3 * DOLLAR }
    await inDatabase(site.gateway, db => insertMinutes(db, [spent]))
    await page.goto(`${site.gateway.url}/detail`)
    const first = page.getByRole('list', { name: 'Top spenders yesterday' }).getByRole('listitem').first()
    await first.getByText('anna').waitFor()
    expect(job.effort()).toEqual({ clicks: 0, fields: 0 })
  })
})
