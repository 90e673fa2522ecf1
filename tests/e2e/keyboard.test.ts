import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Route } from 'playwright-core'
import { listTokens } from '#contract/entities/token.ts'
import { listChannels } from '#features/channels/contract/channel-endpoints.ts'
import { callChat } from '../harness/call-chat.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'

const MODEL = 'gpt-4o-mini'
const KEY = `sk-proj-${'o'.repeat(40)}`
const STEPS_MAX = 90
const UNPRICED = 'eu.gpt-4o-mini-private'
/** Tab stops of a job that begins where the operator is told of it. */
const JOB_STEPS_MAX = 25

describeConsole({ hasProblems: true })

let key = ''
/** Tab stops since the test began. */
let steps = 0

beforeAll(async () => {
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL] })
  key = (await addToken(site.root)).key
})

beforeEach(() => {
  steps = 0
  return openAs(site.root)
})

const FOCUS = `(() => {
  const element = document.activeElement
  const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? element.innerText ?? ''
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  const isShown = element.matches(':focus-visible') && (outlineStyle !== 'none' && outlineWidth !== '0px')
  return { name: label.trim(), isShown, isSomewhere: element !== document.body }
})()`

interface Focus {
  readonly name: string
  /** Whether a reader sees where the focus is. */
  readonly isShown: boolean
  readonly isSomewhere: boolean
}

const focus = (): Promise<Focus> => page.evaluate<Focus>(FOCUS)

/** Goes on with Tab to a control that can be reached, and which shows that it has the focus. */
async function tabTo(name: RegExp): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    await page.keyboard.press('Tab')
    steps += 1
    const { isShown, ...found } = await focus()
    if (!name.test(found.name)) continue
    expect({ name: found.name, isShown }).toEqual({ name: found.name, isShown: true })
    return
  }
  throw new Error(`no control named ${name} within ${STEPS_MAX} tab stops`)
}

async function press(name: RegExp): Promise<void> {
  await tabTo(name)
  await page.keyboard.press('Enter')
}

test('a token is created with Tab and Enter, and the focus returns to where the work began', async () => {
  await page.goto(`${site.gateway.url}/token`)
  await page.getByRole('button', { name: 'New token' }).first().waitFor()
  await press(/^New token$/)
  await page.getByRole('dialog').waitFor()
  await tabTo(/^Name/)
  await page.keyboard.type('by keys')
  await press(/^Create$/)
  await page.getByRole('dialog').getByText('Your key').first().waitFor()
  const tokens = await site.root.call(listTokens, {})
  expect(tokens.map(({ name }) => name)).toContain('by keys')
  await press(/^I've saved this key$/)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focus()).toMatchObject({ name: 'New token', isSomewhere: true })
})

test('a channel is added from a pasted key with Tab and Enter', async () => {
  const toLab = (route: Route) => {
    const body: unknown = route.request().postDataJSON()
    return typeof body === 'object' && body !== null && 'key' in body
      ? route.continue({ postData: JSON.stringify({ ...body, base_url: site.lab.url }) })
      : route.continue()
  }
  await page.route('**/api/channel/fetch_models', toLab)
  await page.route('**/api/channel/', toLab)
  await page.goto(`${site.gateway.url}/channel`)
  await page.getByRole('button', { name: 'More list actions' }).waitFor()
  await press(/^More list actions$/)
  await page.getByRole('menu').waitFor()
  await page.keyboard.type('Add by key')
  await page.keyboard.press('Enter')
  await page.getByLabel('Keys').waitFor()
  await tabTo(/^Keys/)
  await page.keyboard.insertText(KEY)
  await page.getByRole('button', { name: 'Create 1 channel' }).waitFor()
  await press(/^Create 1 channel$/)
  await page.waitForURL('**/channel')
  const channels = await site.root.call(listChannels, {})
  expect(channels.map(({ name }) => name)).toContain('OpenAI')
})

test('why a request failed is read with Tab, Enter and Escape, and the focus returns to its row', async () => {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hello [lab: context-length]' }] }
  await callChat({ url: site.gateway.url, key, body })
  await page.goto(`${site.gateway.url}/log`)
  await page.locator('tbody tr[data-row]').first().waitFor()
  await tabTo(/^\d{4}-\d\d-\d\d/)
  const row = (await focus()).name
  await page.keyboard.press('Enter')
  await page
    .getByRole('dialog')
    .getByText(/context/)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await focus()).toMatchObject({ name: row, isSomewhere: true })
})

test('a new model is priced from the overview within 25 tab stops', async () => {
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [UNPRICED] })
  await page.goto(`${site.gateway.url}/detail`)
  await page.getByRole('link', { name: /cannot be called for want of a price/ }).waitFor()
  await press(/^Skip to content$/)
  await press(/cannot be called for want of a price/)
  await page.getByRole('button', { name: /^Take the proposed price/ }).waitFor()
  await press(/^Take the proposed price/)
  await page.keyboard.press('Control+Enter')
  await page.getByText('Saved').first().waitFor()
  expect(steps).toBeLessThanOrEqual(JOB_STEPS_MAX)
})

test('a price is found with a slash, changed and saved within 25 tab stops', async () => {
  await page.goto(`${site.gateway.url}/setting?tab=operation&section=models`)
  await page.getByRole('button', { name: 'Add model' }).waitFor()
  await page.keyboard.press('/')
  expect((await focus()).name).toBe('Search models')
  await page.keyboard.type(MODEL)
  await press(new RegExp(`^Edit ${MODEL}$`))
  await page.getByRole('dialog').waitFor()
  await tabTo(/^Input, dollars per million tokens/)
  await page.keyboard.press('Control+a')
  await page.keyboard.type('0.3')
  await press(/^Apply$/)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+Enter')
  await page.getByText('Saved').first().waitFor()
  expect(steps).toBeLessThanOrEqual(JOB_STEPS_MAX)
})
