import { beforeAll, beforeEach, expect, test } from 'bun:test'
import { deleteToken, listTokens } from '#contract/entities/token.ts'
import { callChat } from '../harness/call-chat.ts'
import { describeConsole, openAs, page, site } from '../harness/describe-console.ts'
import { addLabChannel, addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitUntil } from '../harness/wait-until.ts'

const GPT = 'gpt-4o-mini'
const CLAUDE = 'claude-3-5-haiku-20241022'
/** Neither an option nor the catalogue knows its price. */
const OWN = 'model-of-mine'

describeConsole()

beforeAll(async () => {
  await setOptions(site.root, { ModelRatio: { [GPT]: 1, [CLAUDE]: 1 } })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [GPT] })
  await addLabChannel(site.root, site.lab, { provider: 'anthropic', models: [CLAUDE] })
})

beforeEach(async () => {
  const tokens = await site.root.call(listTokens, { query: { p: 0, size: 100 } })
  for (const { id } of tokens) await site.root.call(deleteToken, { params: { id } })
  await openAs(site.root)
})

/** Presses a copy button and returns what it copies, without the browser's permission for its clipboard. */
async function copyBy(name: string): Promise<string> {
  await page.evaluate(`window.copied = ''`)
  await page.getByRole('button', { name }).click()
  const copied = () => page.evaluate<string>('window.copied')
  return waitUntil(
    { description: 'the copied text', timeoutMs: 20_000 },
    async () => (await copied()) || undefined,
  )
}

async function openConnect(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/connect${search}`)
  await page.locator('h1', { hasText: 'Connect' }).waitFor()
}

test('fills in the address, the token and a model that suits the client, and masks only what is shown', async () => {
  const { key } = await addToken(site.root, { name: 'laptop' })
  await openConnect()
  const claude = page.getByRole('tabpanel', { name: 'macOS / Linux' })
  expect(await claude.textContent()).toContain(`ANTHROPIC_MODEL='${CLAUDE}'`)
  expect(await page.locator('main').textContent()).not.toContain(key)
  const variables = await copyBy('Copy · macOS / Linux')
  expect(variables).toContain(`export ANTHROPIC_AUTH_TOKEN='sk-${key}'`)
  expect(variables).toContain(`export ANTHROPIC_BASE_URL='${site.gateway.url}'`)

  await page.getByText('Codex', { exact: true }).click()
  await page.waitForURL('**/connect?client=codex')
  expect(await copyBy('Copy · ~/.codex/config.toml')).toContain(`model = "${GPT}"`)

  await page.getByText('Cursor', { exact: true }).click()
  expect(await copyBy('Copy OpenAI API Key')).toBe(`sk-${key}`)
})

test('offers only models that the token may use', async () => {
  await addToken(site.root, { name: 'everything' })
  const limited = await addToken(site.root, {
    name: 'limited',
    model_limits_enabled: true,
    model_limits: GPT,
  })
  await openConnect(`?token=${limited.id}&client=claude-code&model=${CLAUDE}`)
  const panel = page.getByRole('tabpanel', { name: 'macOS / Linux' })
  expect(await panel.textContent()).toContain(`ANTHROPIC_MODEL='${GPT}'`)
})

test('reports the first request of the token', async () => {
  const { key } = await addToken(site.root, { name: 'laptop' })
  await openConnect('?client=code')
  await page.getByText('Waiting for the first request with this token…').waitFor()
  const body = { model: GPT, messages: [{ role: 'user', content: 'Hello' }] }
  await callChat({ url: site.gateway.url, key, body })
  await page.getByText('A request with this token has arrived').waitFor()
})

test('leads to a new token when there is none', async () => {
  await openConnect()
  await page.getByText('No usable tokens yet').waitFor()
  await page.getByRole('link', { name: 'Create a token' }).click()
  await page.waitForURL('**/token?edit=new')
})

test('leads the operator from the first channel to email, and hides when dismissed', async () => {
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [OWN] })
  await setOptions(site.root, { ModelRatio: { [CLAUDE]: 1 }, ServerAddress: '' })
  await page.goto(`${site.gateway.url}/token`)
  const steps = page.getByRole('region', { name: /^Set up the gateway \(\d of 8\)$/ })
  expect(await steps.getByRole('listitem').count()).toBe(0)
  await steps.getByRole('link', { name: 'Test the channel' }).waitFor()
  await steps.getByRole('button', { name: 'Show all steps' }).click()
  await steps.getByText(`Models without a price cannot be called: ${OWN}`).waitFor()
  await steps.getByRole('link', { name: 'Set the server address' }).click()
  await page.waitForURL('**/setting?tab=system&section=server')
  await setOptions(site.root, { ServerAddress: site.gateway.url, ModelRatio: { [OWN]: 1, [CLAUDE]: 1 } })
  await page.goto(`${site.gateway.url}/token`)
  await steps.getByRole('button', { name: 'Show all steps' }).click()
  await steps.getByText('Every model of your channels has a price.').waitFor()
  expect(await steps.getByRole('link', { name: 'Set the server address' }).count()).toBe(0)
  await steps.getByRole('button', { name: "Don't show again" }).click()
  await steps.waitFor({ state: 'detached' })
})
