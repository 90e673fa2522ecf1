import { beforeEach, describe, expect, test } from 'bun:test'
import { listChannelHealth } from '#features/channel-health/contract.ts'
import {
  deleteChannel,
  getChannel,
  listChannels,
  listChannelTypes,
  updateChannel,
} from '#features/channels/contract/channel-endpoints.ts'
import type { Channel } from '#features/channels/contract/channels.ts'
import { callChat } from '../harness/call-chat.ts'
import { browser, describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setScenario } from '../harness/lab-namespace.ts'
import { DESKTOP, openConsole } from '../harness/open-console.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODELS = ['gpt-4o', 'gpt-4o-mini']
const FINGER_PX = 40

describeConsole()

beforeEach(async () => {
  for (const { id } of await channels()) await site.root.call(deleteChannel, { params: { id } })
  await openAs(site.root)
})

const channels = (): Promise<Channel[]> => site.root.call(listChannels, { query: { page_size: 100 } })
const stored = ({ id }: Channel): Promise<Channel> => site.root.call(getChannel, { params: { id } })
const add = (name: string, more: Partial<Parameters<typeof addLabChannel>[2]> = {}) =>
  addLabChannel(site.root, site.lab, { provider: 'openai', models: MODELS, name, ...more })
const health = () => site.root.call(listChannelHealth)
const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}, `) })
const sheet = () => page.getByRole('dialog')
/** Fields of the open sheet that extend beyond its right edge. */
const countCutFields = (): Promise<number> =>
  sheet().evaluate(dialog => {
    const { right } = dialog.getBoundingClientRect()
    const fields = [...dialog.querySelectorAll('input, textarea, button')]
    return fields.filter(field => field.getBoundingClientRect().right > right).length
  })
const isStored = (channel: Channel, fields: Partial<Channel>) =>
  waitUntil(
    { description: `${channel.name} to be ${JSON.stringify(fields)}`, timeoutMs: 20_000 },
    async () => {
      const now = new Map<string, unknown>(Object.entries(await stored(channel)))
      return Object.entries(fields).every(([field, value]) => now.get(field) === value)
    },
  )

async function open(path = '/channel'): Promise<void> {
  await page.goto(site.gateway.url + path)
  await page.locator('h1', { hasText: 'Channels' }).waitFor()
}

describe('one channel', () => {
  test('can be added, tested, disabled, reverted and deleted', async () => {
    await open()
    await page.getByText('No channels yet').waitFor()
    await page.getByRole('button', { name: 'New channel' }).first().click()
    await sheet().getByLabel('Name').fill('lab')
    await sheet().getByLabel('Base URL').fill(`${site.lab.url}/`)
    expect(await sheet().getByLabel(/^Key/).getAttribute('autocomplete')).toBe('new-password')
    await sheet().getByLabel(/^Key/).fill('lab-key')
    await sheet().getByRole('button', { name: 'Clear all' }).click()
    await sheet().getByLabel('Custom models').fill('gpt-4o, gpt-4o-mini')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Channel created').waitFor()
    await rowOf('lab').waitFor()
    const [made] = await channels()
    expect(made).toMatchObject({
      base_url: site.lab.url,
      models: 'gpt-4o,gpt-4o-mini',
      group: 'default',
      key: '',
    })
    expect(new URL(page.url()).pathname).toBe('/channel')

    await rowOf('lab').getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText(/lab passed the test in \d\.\d\d s/).waitFor()
    await rowOf('lab').getByText('Not tested').waitFor({ state: 'detached' })

    await rowOf('lab').getByRole('button', { name: 'Disable' }).click()
    await rowOf('lab').getByText('Disabled').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await rowOf('lab').getByText('Enabled').waitFor()

    await rowOf('lab').getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').or(sheet()).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No channels yet').waitFor()
    expect(await channels()).toEqual([])
  })

  test('is rejected without name, key and models, with an error at each field', async () => {
    await open('/channel/add')
    await sheet().getByRole('button', { name: 'Clear all' }).click()
    await sheet().getByRole('button', { name: 'Create' }).click()
    await sheet().getByText('3 fields need your attention').waitFor()
    await sheet().getByRole('alert').getByRole('button', { name: 'Models' }).click()
    expect(await page.evaluate('document.activeElement.id')).toBe('field-models')
    expect(await channels()).toEqual([])
  })

  test('replaces untouched models for a new provider, asks for edited ones, and says what that provider needs', async () => {
    await open('/channel/add')
    await sheet().getByLabel('Type').focus()
    await page.keyboard.type('Anthropic')
    await page.getByRole('option', { name: 'Anthropic' }).click()
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    await sheet().getByRole('button', { name: 'Add all models' }).click()
    await sheet().getByLabel('Type').focus()
    await page.keyboard.type('Vertex')
    await page.getByRole('option', { name: 'Vertex AI' }).click()
    await page.getByText('Use the default models of Vertex AI').waitFor()
    await page.getByRole('button', { name: 'Replace' }).click()
    await sheet().getByText('The key is the JSON of a service account').waitFor()
    expect(await sheet().getByLabel('Region').inputValue()).toBe('us-central1')
    await sheet().getByLabel(/^Key/).fill('{"project_id":"my-project"}')
    await sheet().getByText('Project: my-project').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await sheet().waitFor({ state: 'detached' })
    await open('/channel/edit/999')
    await sheet().getByText('The channel was not found. Refresh the page and try again.').waitFor()
  })

  test('offers popular providers first and discontinued ones last', async () => {
    const types = await site.root.call(listChannelTypes)
    const namesOf = (popularity: string) =>
      types.filter(type => type.popularity === popularity).map(({ name }) => name)
    await open('/channel/add')
    await sheet().getByLabel('Type').click()
    const options = await page.getByRole('option').allInnerTexts()
    const names = options.map(text => text.split('\n').at(-1))
    const popular = namesOf('popular')
    const discontinued = namesOf('discontinued')
    expect(popular.length * discontinued.length).toBeGreaterThan(0)
    expect(names.slice(0, popular.length)).toEqual(popular)
    expect(names.slice(-discontinued.length)).toEqual(discontinued)
  })

  test('keeps its key when left empty and sends only changed fields', async () => {
    const channel = await add('lab', { draft: { weight: 3 } })
    await open(`/channel/edit/${channel.id}`)
    let sent: unknown
    page.on('request', request => {
      if (request.method() === 'PUT') sent = request.postDataJSON()
    })
    await sheet().getByLabel('Name').fill('renamed')
    await page.keyboard.press('Control+Enter')
    await rowOf('renamed').waitFor()
    await page.getByText('Channel updated').waitFor()
    expect(sent).toEqual({ id: channel.id, name: 'renamed' })
    await rowOf('renamed').getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText(/renamed passed the test in/).waitFor()
  })

  test('can be tested with the form input before it is saved', async () => {
    const channel = await add('lab')
    await open(`/channel/edit/${channel.id}`)
    await sheet().getByRole('button', { name: 'Test before saving' }).click()
    const announced = page.getByRole('region', { name: 'Notifications' })
    await announced.getByText(/The test passed in [\d.]+ s/).waitFor()
    await sheet().getByLabel('Base URL').fill(`${site.lab.url}/fault/status-401`)
    await sheet().getByRole('button', { name: 'Test before saving' }).click()
    await announced
      .getByRole('alert')
      .getByText(/status 401/)
      .waitFor()
    expect((await channels()).map(({ base_url }) => base_url)).toEqual([channel.base_url])
  })

  test('needs its key again before it sends it to another address', async () => {
    const channel = await add('lab')
    await open(`/channel/edit/${channel.id}`)
    const origin = new URL(site.lab.url).origin
    await sheet().getByLabel('Base URL').fill('https://collector.example/v1')
    await sheet().getByText(`The current key is only for OpenAI · ${origin}.`).waitFor()
    for (const button of ['Test before saving', 'Fetch model list', 'Save']) {
      await sheet().getByRole('button', { name: button, exact: true }).click()
      await sheet().getByText('The key would be sent to another address. Enter it again.').first().waitFor()
    }
    expect(await stored(channel)).toMatchObject({ base_url: channel.base_url })
    await sheet().getByLabel(/^Key/).fill('own-key')
    await page.keyboard.press('Control+Enter')
    await isStored(channel, { base_url: 'https://collector.example/v1' })
  })

  test('can be reloaded after a failed fetch', async () => {
    const { id } = await add('lab')
    await open()
    await page.route(`**/api/channel/${id}`, route => route.fulfill({ body: 'of something in between' }))
    await rowOf('lab').getByRole('button', { name: 'Edit' }).click()
    const retry = sheet().getByRole('button', { name: 'Retry' })
    await retry.waitFor()
    await page.unroute(`**/api/channel/${id}`)
    await retry.click()
    expect(await sheet().getByLabel('Name').inputValue()).toBe('lab')
  })

  test('asks before discarding unsaved input', async () => {
    const channel = await add('lab')
    await open(`/channel/edit/${channel.id}`)
    await sheet().getByLabel('Name').fill('half-typed')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    expect(await sheet().getByLabel('Name').inputValue()).toBe('half-typed')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await sheet().waitFor({ state: 'detached' })
    expect((await stored(channel)).name).toBe('lab')
  })

  test('steps to adjacent channels, warns of doubtful settings and keeps the advanced section open', async () => {
    const first = await add('first', { priority: 2 })
    const second = await add('second', { priority: 1 })
    await open(`/channel/edit/${first.id}`)
    await sheet().getByRole('button', { name: 'Next channel' }).click()
    await page.waitForURL(`**/channel/edit/${second.id}`)
    await sheet().getByLabel('Base URL').fill('https://api.openai.com/v1')
    await sheet().getByText('needs no /v1 at the end').waitFor()
    const advanced = sheet().getByRole('region', { name: 'Advanced' })
    await advanced.getByRole('button').first().click()
    await sheet().getByLabel('Status code mapping').fill('{"429":"200"}')
    await sheet().getByText('as success: 429').waitFor()
    await advanced.getByText('1 set').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await sheet().waitFor({ state: 'detached' })
    await open(`/channel/edit/${first.id}`)
    await sheet().getByLabel('Status code mapping').waitFor()
  })

  test('shows the models that were stopped for selling below cost, and allows one again', async () => {
    const purchase_prices = { 'gpt-4o': { input: 900, output: 900 } }
    await setOptions(site.root, { MarginStopEnabled: true, MarginAlarmRequests: 1 })
    const channel = await add('lab', { draft: { setting: JSON.stringify({ purchase_prices }) } })
    const { key } = await addToken(site.root)
    const ask = async (model: string) =>
      (
        await callChat({
          url: site.gateway.url,
          key,
          body: { model, messages: [{ role: 'user', content: 'hello' }] },
        })
      ).status
    expect(await ask('gpt-4o')).toBe(200)
    await waitUntil(
      { description: 'the model to be stopped', timeoutMs: 20_000 },
      async () => (await stored(channel)).stopped_models.length === 1,
    )
    expect([await ask('gpt-4o'), await ask('gpt-4o-mini')]).toEqual([503, 200])
    await open()
    await rowOf('lab').getByRole('button', { name: 'Models stopped: 1' }).click()
    await page.getByText('gpt-4o was sold below cost once, for a loss of').waitFor()
    await page.keyboard.press('Escape')
    await open(`/channel/edit/${channel.id}`)
    await sheet().getByText('Stopped on this channel for selling below cost').waitFor()
    await sheet().getByRole('button', { name: 'Allow gpt-4o again' }).press('Enter')
    await page.getByText('gpt-4o is allowed again').waitFor()
    await sheet().getByText('Stopped on this channel').waitFor({ state: 'detached' })
    expect(await stored(channel)).toMatchObject({
      status: 1,
      models: 'gpt-4o,gpt-4o-mini',
      stopped_models: [],
    })
    expect(await ask('gpt-4o')).toBe(200)
    await setOptions(site.root, { MarginStopEnabled: false, MarginAlarmRequests: 20 })
  })

  test('takes the purchase prices of models in rows by keyboard, and names the model of a wrong one', async () => {
    const service_tiers = { flex: { input: 1, output: 4 } }
    const purchase_prices = { 'gpt-4o': { input: 2, output: 8, service_tiers } }
    const setting = JSON.stringify({ proxy: 'http://127.0.0.1:9', purchase_prices })
    const channel = await add('lab', { draft: { setting } })
    await open(`/channel/edit/${channel.id}`)
    const advanced = sheet().getByRole('region', { name: 'Advanced' })
    const isOpen = await advanced.getByRole('button').first().getAttribute('aria-expanded')
    if (isOpen !== 'true') await advanced.getByRole('button').first().click()
    expect(await sheet().getByLabel('Input of gpt-4o', { exact: true }).inputValue()).toBe('2')
    expect(
      JSON.parse(await sheet().getByRole('textbox', { name: 'Other prices of gpt-4o' }).inputValue()),
    ).toEqual({
      service_tiers,
    })
    expect(await sheet().getByLabel('Extra settings').inputValue()).not.toContain('gpt-4o')
    await page.setViewportSize({ width: 768, height: 900 })
    expect(await countCutFields()).toBe(0)
    await page.setViewportSize({ width: DESKTOP.width, height: 900 })

    await sheet().getByRole('button', { name: 'Add model' }).press('Enter')
    await page.keyboard.type('gpt-4o-mini')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('0.6')
    await page.keyboard.press('Control+Enter')
    const summary = sheet().getByRole('alert')
    await summary.getByText('Check the prices of: gpt-4o-mini').waitFor()
    await sheet().getByText('gpt-4o-mini: there is no price for input').waitFor()
    await summary.getByRole('button', { name: 'Purchase prices of models' }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Row 2: model')
    await page.keyboard.press('Tab')
    await page.keyboard.type('0.15')
    await sheet().getByRole('button', { name: 'Remove the prices of gpt-4o', exact: true }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Row 1: model')
    await page.keyboard.press('Control+Enter')
    await sheet().waitFor({ state: 'detached' })
    expect(JSON.parse((await stored(channel)).setting)).toEqual({
      proxy: 'http://127.0.0.1:9',
      purchase_prices: { 'gpt-4o-mini': { input: 0.15, output: 0.6 } },
    })
  })

  test('is copied with its key, which stays on the server', async () => {
    const channel = await add('lab', { draft: { tag: 'a', priority: 7 } })
    await open()
    await rowOf('lab').getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy' }).click()
    await sheet().getByRole('button', { name: 'Copy' }).click()
    await page.getByText('including its key').waitFor()
    await page.waitForURL('**/channel/edit/*')
    const copy = (await channels()).find(other => other.id !== channel.id)
    expect(copy).toMatchObject({ name: 'lab_copy', tag: 'a', priority: 7, used_quota: 0, key: '' })
  })

  test('reports when it was deleted before a copy, and creates nothing', async () => {
    const channel = await add('lab')
    await open()
    await rowOf('lab').waitFor()
    await site.root.call(deleteChannel, { params: { id: channel.id } })
    await rowOf('lab').getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Copy' }).click()
    await sheet().getByRole('button', { name: 'Copy' }).click()
    const toast = page.getByText('The channel could not be copied:')
    await toast.waitFor()
    expect(await toast.textContent()).toMatch(/copied: (?!Error)\S+/)
    expect(await page.getByRole('alert').count()).toBe(1)
    expect(await channels()).toEqual([])
  })

  test('edits priority and weight inline, with Escape to restore and clamping to the minimum', async () => {
    const channel = await add('lab')
    await open()
    const priority = page.getByRole('spinbutton', { name: 'Priority of lab' })
    await priority.fill('12')
    await page.keyboard.press('Escape')
    expect(await priority.inputValue()).toBe('0')
    await priority.fill('-5000')
    await page.keyboard.press('Enter')
    await isStored(channel, { priority: -999 })
    const weight = page.getByRole('spinbutton', { name: 'Weight of lab' })
    await weight.fill('4')
    await priority.focus()
    await isStored(channel, { weight: 4 })
    expect(await weight.inputValue()).toBe('4')
  })

  test('shows why and when the gateway disabled it, also by keyboard', async () => {
    await setOptions(site.root, { AutomaticDisableChannelEnabled: true })
    const channel = await add('dead', { scenario: 'dead-key' })
    const statusWidth = async () =>
      (await page.getByRole('columnheader', { name: 'Status' }).boundingBox())?.width ?? 0
    await open()
    await rowOf('dead').waitFor()
    const enabledWidth = await statusWidth()
    const { key } = await addToken(site.root)
    const body = { model: MODELS[0], messages: [{ role: 'user', content: 'hello' }] }
    await callChat({ url: site.gateway.url, key, body })
    await isStored(channel, { status: 3 })
    await open()
    const reason = rowOf('dead').getByRole('button', { name: /^Auto-disabled: / })
    await reason.waitFor()
    expect(enabledWidth).toBeGreaterThan(0)
    expect(await statusWidth()).toBeLessThanOrEqual(enabledWidth)
    await reason.focus()
    await page.keyboard.press('Enter')
    await sheet().getByText('The gateway disabled this channel').waitFor()
    await sheet().getByText('status 401').waitFor()
    await sheet()
      .getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      .waitFor()
  })
})

describe('the figures of a row', () => {
  test('show the success rate of a day and the models by name', async () => {
    await add('busy', { namespace: 'busy' })
    await add('idle', { models: ['other-a', 'other-b', 'other-a'] })
    const { key } = await addToken(site.root, { name: 'caller' })
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }
    const ask = async () => (await callChat({ url: site.gateway.url, key, body })).status
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200])
    await setScenario(site.lab, 'busy', 'status-500')
    expect(await ask()).toBeGreaterThanOrEqual(500)
    await waitUntil({ description: 'the calls to be counted', timeoutMs: 20_000 }, async () =>
      (await health()).some(({ failed }) => failed > 0),
    )
    await open()
    await rowOf('busy').getByText('75%').waitFor()
    await rowOf('busy').getByTitle('3 of 4 calls succeeded in 24 hours · 500 server_error').waitFor()
    expect(await rowOf('idle').getByText('%').count()).toBe(0)

    await rowOf('idle').getByRole('button', { name: 'Models: 2' }).click()
    const names = page.getByRole('dialog').getByRole('listitem')
    await names.first().waitFor()
    expect(await names.allTextContents()).toEqual(['other-a', 'other-b'])
    await page.keyboard.press('Escape')
    await names.first().waitFor({ state: 'detached' })
    expect(await rowOf('busy').getByRole('button', { name: 'Models: 2' }).textContent()).toBe('2')
  })
})

test('a dead channel behind a working one is told within a minute and found in two clicks', async () => {
  await setOptions(site.root, { RetryTimes: 2, AutomaticDisableChannelEnabled: false })
  await add('dead', { namespace: 'dead', priority: 9 })
  await add('working')
  await setScenario(site.lab, 'dead', 'status-401')
  const { key } = await addToken(site.root, { name: 'of-dead' })
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }
  const start = Date.now()
  for (let count = 0; count < 3; count += 1)
    expect((await callChat({ url: site.gateway.url, key, body })).status).toBe(200)
  await page.goto(`${site.gateway.url}/token`)
  await page.getByRole('link', { name: 'Channels' }).click()
  await rowOf('dead').getByText('Failing').waitFor({ timeout: 60_000 })
  expect(Date.now() - start).toBeLessThan(60_000)
  await rowOf('dead').getByText(/^401 /).waitFor()
  await rowOf('dead').getByRole('link', { name: 'dead', exact: true }).click()
  await sheet().getByText('Failing', { exact: true }).waitFor()
  const hours = sheet().getByRole('list', { name: 'Calls and failures by the hour' }).getByRole('listitem')
  await hours.first().waitFor()
  expect(await hours.count()).toBe(24)
  expect(await hours.last().innerText()).toMatch(/: (\d) calls?, \1 failed/)
  expect(await hours.last().innerText()).toContain('×')
  await sheet()
    .getByText(/of which \d failed \(100%\)/)
    .waitFor()
  await sheet()
    .getByText(/401 invalid_api_key|^401 /)
    .last()
    .waitFor()
})

describe('models', () => {
  test('are fetched from the provider and applied only when chosen', async () => {
    const channel = await add('lab', { models: ['gpt-4o', 'gone-model'] })
    await open(`/channel/edit/${channel.id}`)
    await sheet().getByRole('button', { name: 'Fetch model list' }).click()
    const dialog = page.getByRole('dialog', { name: /Upstream models/ })
    await dialog.getByRole('checkbox', { name: 'o3-mini' }).check()
    await dialog.getByRole('checkbox', { name: 'gone-model' }).uncheck()
    await dialog.getByRole('button', { name: 'Apply (+1 −1)' }).click()
    await page.keyboard.press('Control+Enter')
    await isStored(channel, { models: 'gpt-4o,o3-mini' })
  })

  test('are added once, with duplicates reported', async () => {
    await open('/channel/add')
    await sheet().getByRole('button', { name: 'Clear all' }).click()
    const custom = sheet().getByLabel('Custom models')
    await custom.fill('a,b')
    await page.keyboard.press('Enter')
    await custom.fill('b,c')
    await page.keyboard.press('Enter')
    await sheet().getByText('Some models already exist: b').waitFor()
    await sheet().getByText('Selected: 3').waitFor()
  })

  test('are mapped in a table that warns of implausible mappings', async () => {
    const channel = await add('lab')
    await open(`/channel/edit/${channel.id}`)
    await sheet().getByRole('button', { name: 'Add mapping' }).click()
    await sheet().getByLabel('Row 1: requested model').fill('nobody-asks')
    await sheet().getByLabel('Row 1: upstream model').fill('gpt-4o-mini')
    await sheet().getByText('the mapping has no effect: nobody-asks').waitFor()
    await sheet().getByText('can also be requested directly').waitFor()
    await sheet().getByLabel('Row 1: requested model').fill('gpt-4o')
    await sheet().getByText('the mapping has no effect').waitFor({ state: 'detached' })
    await sheet().getByText('JSON', { exact: true }).click()
    expect(await sheet().getByLabel('Model mapping').inputValue()).toContain('"gpt-4o": "gpt-4o-mini"')
    await page.keyboard.press('Control+Enter')
    await isStored(channel, { model_mapping: '{\n  "gpt-4o": "gpt-4o-mini"\n}' })
  })

  test('can be tested as streams', async () => {
    const { id } = await add('lab')
    await open(`/channel?test=${id}`)
    await sheet().getByLabel('Streamed').check()
    const requestedPaths = page.waitForRequest(/channel\/test\/\d+\?.*stream=true/)
    await sheet()
      .getByRole('button', { name: /^Test \d+ shown|^Test/ })
      .last()
      .click()
    await requestedPaths
    await sheet()
      .getByText(/1 passed|passed/)
      .first()
      .waitFor()
  })

  test('are tested several at a time, and failing ones can be removed after a review', async () => {
    const channel = await add('lab', { models: ['gpt-4o', 'lab-status-500', 'gpt-4o-mini'] })
    await open(`/channel?test=${channel.id}`)
    const dialog = page.getByRole('dialog', { name: 'Test lab' })
    await dialog.getByRole('button', { name: 'Test all (3)' }).click()
    await dialog.getByText('2 passed, 1 failed, 0 unfinished').waitFor()
    await dialog.getByText('The lab returns status 500').waitFor()
    await dialog.getByRole('button', { name: 'Remove failed models' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await isStored(channel, { models: 'gpt-4o,gpt-4o-mini' })
  })
})

describe('routing', () => {
  test('offers limits and several keys as form fields and keeps other settings', async () => {
    const channel = await add('pool', { draft: { setting: '{"force_format":true}' } })
    await open(`/channel/edit/${channel.id}`)
    await sheet().getByLabel('Multiple keys').check()
    await sheet().getByLabel(/^Key/).fill('key-1\nkey-2')
    await sheet().getByText('Keys: 2').waitFor()
    await sheet().getByLabel('Concurrent requests').fill('4')
    await page.keyboard.press('Control+Enter')
    await sheet().waitFor({ state: 'detached' })
    expect(JSON.parse((await stored(channel)).setting)).toEqual({
      force_format: true,
      several_keys: true,
      max_concurrency: 4,
    })
    await open(`/channel/edit/${channel.id}`)
    expect(await sheet().getByLabel('Concurrent requests').inputValue()).toBe('4')
    expect(await sheet().getByLabel('Multiple keys').isChecked()).toBe(true)
    expect(await sheet().getByText('Keys: 0').count()).toBe(0)
  })

  test('finds out how the upstream of a channel counts and saves it', async () => {
    const channel = await add('relay')
    await open(`/channel/edit/${channel.id}`)
    await sheet()
      .getByRole('region', { name: 'Advanced' })
      .getByRole('button', { name: /^Advanced/ })
      .click()
    await sheet().getByLabel('Reasoning tokens').selectOption('Counted separately')
    await sheet().getByRole('button', { name: 'Find out' }).click()
    await page.getByText('Filled in what the figures show').waitFor()
    await page.keyboard.press('Control+Enter')
    await sheet().waitFor({ state: 'detached' })
    expect(JSON.parse((await stored(channel)).setting)).toMatchObject({ reasoning_tokens: 'separate' })
  })

  test('previews order, probability, upstream model and skip reasons of a request', async () => {
    await add('mapped', { draft: { model_mapping: '{"gpt-4o":"gpt-4o-2024"}', weight: 4 } })
    await add('spare', {
      priority: -1,
      draft: { setting: '{"requests_per_minute":1}', max_input_tokens: 4000 },
    })
    await add('other', { models: ['claude-x'] })
    await open()
    await page.getByRole('button', { name: 'More list actions' }).click()
    await page.getByRole('menuitem', { name: 'Preview a route' }).click()
    await sheet().getByLabel('Model').fill('gpt-4o')
    await page.getByRole('option', { name: 'gpt-4o', exact: true }).click()
    const rows = sheet().locator('tbody tr')
    await rows.nth(1).waitFor()
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^mapped #\d+04100%gpt-4o-2024No limitAvailable$/),
      expect.stringMatching(/^spare #\d+-100%gpt-4o4000Available$/),
    ])
    expect(new URL(page.url()).search).toBe('?preview=1&route=gpt-4o')
    await rows.first().getByRole('link').click()
    await page.waitForURL('**/channel/edit/*')
    await sheet().getByRole('button', { name: 'Close' }).click()
    await rows.nth(1).waitFor()
  })
})

describe('many channels', () => {
  test('are created from one key per line without blanks and duplicates', async () => {
    await open('/channel/add')
    await sheet().getByLabel('Name').fill('pool')
    await sheet().getByLabel('Batch creation').check()
    await sheet().getByLabel(/^Key/).fill('key-1\n\nkey-2\nkey-1')
    await sheet().getByText('Keys: 2').waitFor()
    await sheet().getByText('Ignored: 1 blank lines, 1 duplicate keys.').waitFor()
    await sheet().getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Channels created: 2').waitFor()
    expect((await channels()).length).toBe(2)
  })

  test('are tagged, disabled and given a priority together', async () => {
    for (const name of ['a', 'b', 'c']) await add(name)
    await open()
    await rowOf('a').getByRole('checkbox').check()
    await rowOf('b').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Set tag' }).click()
    await sheet().getByLabel('Tag').fill('team')
    await page.keyboard.press('Enter')
    await page.getByText('Channels tagged: 2').waitFor()

    await rowOf('a').getByRole('checkbox').check()
    await rowOf('b').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Set priority' }).click()
    await sheet().getByLabel('Priority').fill('9')
    await page.keyboard.press('Enter')
    await page.getByText('Channels changed: 2').waitFor()
    const byName = new Map((await channels()).map(channel => [channel.name, channel]))
    expect(
      [...byName.values()].filter(channel => channel.tag === 'team' && channel.priority === 9).length,
    ).toBe(2)
    expect(byName.get('c')).toMatchObject({ tag: '', priority: 0 })
  })

  test('stay selected with the reason when a batch operation fails', async () => {
    const first = await add('a')
    await add('b')
    await page.route('**/api/channel/', route => {
      const isFirst = route.request().postDataJSON()?.id === first.id
      return isFirst ? route.fulfill({ json: { success: false, message: 'not this one' } }) : route.continue()
    })
    await open()
    await page.getByRole('checkbox', { name: 'Select this page' }).check()
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: 'Disable', exact: true }).first().click()
    await page.getByText('Channels changed: 1').waitFor()
    await page.getByRole('alert').getByText('not this one').waitFor()
    await page.getByText('1 selected').waitFor()
    expect(await rowOf('a').getByRole('checkbox').isChecked()).toBe(true)
    await page.unroute('**/api/channel/')
  })

  test('with one tag are managed as one, next to channels without a tag', async () => {
    const a = await add('a', { draft: { tag: 'team', priority: 1 } })
    const b = await add('b', { draft: { tag: 'team', priority: 2 } })
    await add('c')
    await open()
    await page.getByRole('button', { name: 'By tag' }).click()
    const team = page.getByRole('row', { name: 'team' })
    await team.getByText('2 of 2 enabled').waitFor()
    await page.getByRole('row', { name: 'No tag' }).getByText('1 of 1 enabled').waitFor()
    const priority = page.getByRole('spinbutton', { name: 'Priority of team' })
    expect(await priority.getAttribute('placeholder')).toBe('Mixed')

    await priority.fill('5')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Apply' }).click()
    await isStored(a, { priority: 5 })
    await isStored(b, { priority: 5 })

    await team.getByRole('button', { name: 'Disable all' }).click()
    await team.getByText('0 of 2 enabled').waitFor()
    await team.getByRole('button', { name: 'Edit tag' }).click()
    await sheet().getByRole('button', { name: 'Save for 2' }).click()
    await page.getByText('Nothing has changed').waitFor()
    await sheet().getByLabel('Tag name').fill('crew')
    await sheet().getByRole('button', { name: 'Save for 2' }).click()
    await page.getByRole('row', { name: 'crew' }).waitFor()
    expect((await stored(a)).models).toBe(MODELS.join(','))
  })

  test('are all tested in the background while the list updates', async () => {
    for (const name of ['a', 'b']) await add(name)
    await open()
    await page.getByRole('button', { name: 'Test all' }).click()
    await sheet().getByRole('button', { name: 'Test all' }).click()
    await page.getByText('The test of all channels has started').waitFor()
    await page.getByText('Not tested').first().waitFor({ state: 'detached' })
    await waitUntil(
      { description: 'both rows to show a time', timeoutMs: 20_000 },
      async () => (await page.getByText('Not tested').count()) === 0,
    )
  })
})

describe('all channels', () => {
  test('that are disabled are deleted after a confirmation with their number, and routes are rebuilt', async () => {
    await add('kept')
    for (const name of ['off-1', 'off-2']) {
      const { id } = await add(name)
      await site.root.call(updateChannel, { body: { id, status: 2 } })
    }
    await open()
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'More list actions' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Delete disabled channels')
    await sheet().getByText('Delete all disabled channels (2)?').waitFor()
    await sheet().getByRole('button', { name: 'Delete' }).click()
    await rowOf('off-1').waitFor({ state: 'detached' })
    expect((await channels()).map(({ name }) => name)).toEqual(['kept'])
    await choose('Fix')
    await sheet().getByRole('button').last().click()
    await page.getByRole('region', { name: 'Notifications' }).getByText('Channels fixed: 1').waitFor()
    await page.getByRole('button', { name: 'More list actions' }).click()
    await page.getByRole('menuitemradio', { name: 'Sort by ID' }).click()
    expect(await page.evaluate(`localStorage.getItem('id-sort')`)).toBe('true')
  })
})

describe('balances', () => {
  test('refresh for one channel on click', async () => {
    await add('rich')
    await open('/channel')
    await rowOf('rich').getByRole('button', { name: 'Update the balance of rich (now ?)' }).click()
    await rowOf('rich')
      .getByRole('button', { name: /^Update the balance of rich \(now \$/ })
      .waitFor()
    const [channel] = await channels()
    expect(channel?.balance_updated_time).toBeGreaterThan(0)
  })

  test('refresh for all channels in the background with a notification', async () => {
    await add('one')
    await add('two')
    await open('/channel')
    await rowOf('one').waitFor()
    await page.getByRole('button', { name: 'More list actions' }).click()
    await page.getByRole('menuitem', { name: 'Update all balances' }).click()
    await sheet().getByRole('button', { name: 'Update all balances' }).click()
    await page.getByText('The balances of all enabled channels are up to date').waitFor()
    expect((await channels()).every(channel => channel.balance_updated_time > 0)).toBe(true)
  })
})

describe('the list', () => {
  test('keeps its filters in the URL across a reload and an opened channel', async () => {
    await add('wanted', { models: ['gpt-4o'] })
    await add('other', { models: ['claude-x'] })
    await open()
    await page.getByRole('searchbox', { name: 'Search models' }).fill('gpt')
    await rowOf('other').waitFor({ state: 'detached' })
    await rowOf('wanted').getByRole('link', { name: 'wanted', exact: true }).click()
    await sheet().waitFor()
    await page.reload()
    await sheet().getByRole('button', { name: 'Close' }).click()
    await sheet().waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?model=gpt')
    expect(await page.locator('tbody tr').count()).toBe(1)
    await page.getByRole('button', { name: 'Clear all' }).click()
    await rowOf('other').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('goes to the last page when the requested one no longer exists', async () => {
    await add('only')
    await open('/channel?p=9')
    await rowOf('only').waitFor()
    expect(new URL(page.url()).search).toBe('')
  })

  test('works with the keyboard alone', async () => {
    await add('first', { priority: 2 })
    await add('second', { priority: 1 })
    await open()
    await rowOf('first').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('e')
    await sheet().getByText('second').waitFor()
    await page.keyboard.press('Escape')
    await sheet().waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await page.waitForURL('**/channel/add')
  })

  test('reserves space for cards on a phone, so that nothing shifts', async () => {
    await add('lab')
    await page.setViewportSize({ width: 390, height: 800 })
    const responded = Promise.withResolvers<void>()
    await page.route(/\/api\/channel\/\?/, async route => {
      await responded.promise
      await route.continue()
    })
    await open()
    const place = await page.getByRole('status').locator('li').first().boundingBox()
    responded.resolve()
    const card = await page.getByRole('listitem').filter({ hasText: 'lab' }).boundingBox()
    expect(place).toEqual(card)
  })

  test('shows cards on a phone with all row actions', async () => {
    await add('lab')
    const phone = await openConsole(browser, site.gateway, {
      view: { ...DESKTOP, width: 390, isTouch: true },
      client: site.root,
    })
    await phone.page.goto(`${site.gateway.url}/channel`)
    const card = phone.page.getByRole('listitem').filter({ hasText: 'lab' })
    await card.getByRole('button', { name: 'Disable' }).click()
    await card.getByText('Disabled').waitFor()
    const name = await card.getByRole('link', { name: 'lab', exact: true }).boundingBox()
    expect(name?.height).toBeGreaterThanOrEqual(FINGER_PX)
    await card.getByRole('checkbox', { name: /^Select lab/ }).tap()
    await phone.page.getByText('1 selected').waitFor()
    expect(
      await phone.page.evaluate('document.documentElement.scrollWidth - innerWidth'),
    ).toBeLessThanOrEqual(0)
    await phone.close()
  })
})
