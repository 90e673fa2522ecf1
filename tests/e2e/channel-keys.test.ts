import { beforeEach, describe, expect, test } from 'bun:test'
import type { Route } from 'playwright-core'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'

/** Forms of keys, with no more than their forms. */
const ACCEPTED = `xai-${'x'.repeat(40)}`
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
  test('a rejected key becomes no channel and says why', async () => {
    await page.goto(`${site.gateway.url}/channel-keys`)
    await keys().fill(`${REJECTED}\n${ACCEPTED}`)
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
