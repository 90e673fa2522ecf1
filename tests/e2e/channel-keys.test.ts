import { beforeEach, describe, expect, test } from 'bun:test'
import type { Route } from 'playwright-core'
import { listChannels } from '#features/channels/contract/channel-endpoints.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'

/** Forms of keys, with no more than their forms. */
const KEYS = {
  OpenAI: `sk-proj-${'o'.repeat(40)}`,
  'Anthropic Claude': `sk-ant-api03-${'a'.repeat(40)}`,
  'Google Gemini': `AIza${'g'.repeat(35)}`,
  OpenRouter: `sk-or-v1-${'r'.repeat(40)}`,
  xAI: `xai-${'x'.repeat(40)}`,
}
const REJECTED = `sk-ant-api03-${'z'.repeat(40)}`

describeConsole({ hasProblems: true })

beforeEach(async () => {
  await openAs(site.root)
  // Providers are the lab: only the address that their default has here is another one.
  const toLab = async (route: Route) => {
    const body: unknown = route.request().postDataJSON()
    if (typeof body !== 'object' || body === null || !('key' in body)) return route.continue()
    const address = body.key === REJECTED ? `${site.lab.url}/fault/status-401` : site.lab.url
    return route.continue({ postData: JSON.stringify({ ...body, base_url: address }) })
  }
  await page.route('**/api/channel/fetch_models', toLab)
  await page.route('**/api/channel/', toLab)
})

const keys = () => page.getByLabel('Keys')
const states = () => page.getByRole('main').getByRole('listitem').getByRole('status')

describe('channels by key', () => {
  test('five pasted keys become five channels in four clicks and one field', async () => {
    await page.goto(`${site.gateway.url}/token`)
    await page.getByRole('link', { name: 'Channels' }).click()
    await page.getByRole('button', { name: 'More list actions' }).click()
    await page.getByRole('menuitem', { name: 'Add by key' }).click()
    await keys().fill(Object.values(KEYS).join('\n'))
    await page.getByRole('button', { name: 'Create 5 channels' }).click()
    await page.waitForURL('**/channel')
    await page.getByText('5 channels created').waitFor()
    const channels = await site.root.call(listChannels, {})
    expect(channels.map(({ name }) => name).toSorted()).toEqual(Object.keys(KEYS).toSorted())
    expect(channels.filter(({ models }) => models === '')).toEqual([])
    expect(channels.map(({ setting }) => setting)).toEqual(Array(5).fill('{"purchase_factor":1}'))
  })

  test('a rejected key becomes no channel and says why', async () => {
    await page.goto(`${site.gateway.url}/channel-keys`)
    await keys().fill(`${REJECTED}\n${KEYS.xAI}`)
    await states().filter({ hasText: 'Not usable: ' }).waitFor()
    await page.getByRole('button', { name: 'Create 1 channel' }).click()
    await page.getByText('1 channel created').waitFor()
    expect(await keys().inputValue()).toBe(REJECTED)
    await keys().fill('')
  })

  test('a key of unknown form goes nowhere before its provider is chosen', async () => {
    const requests: string[] = []
    page.on('request', request => request.url().endsWith('/fetch_models') && requests.push(request.url()))
    await page.goto(`${site.gateway.url}/channel-keys`)
    await keys().fill('0123456789abcdef0123456789abcdef')
    await states().filter({ hasText: 'choose the provider' }).waitFor()
    expect(requests).toEqual([])
    await page.getByRole('combobox', { name: /^Provider/ }).fill('mistr')
    await page.getByRole('option', { name: 'Mistral' }).waitFor()
    await page.keyboard.press('Enter')
    await states()
      .filter({ hasText: /\d+ models? of the account/ })
      .waitFor()
    expect(requests).toHaveLength(1)
    await keys().fill('')
  })
})
