import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { getSelf } from '#contract/entities/user.ts'
import { createChannels } from '#features/channels/contract/channel-endpoints.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, opened, openOnce, page, site } from '../harness/describe-console.ts'
import { addLabChannel } from '../harness/lab-channel.ts'
import { findViolations } from '../harness/page-checks.ts'
import { setOptions } from '../harness/set-options.ts'
import { waitUntil } from '../harness/wait-until.ts'

const MODEL = 'gpt-4o-mini'
const OTHER_MODEL = 'gpt-4o'
const TEXT_MODEL = 'gpt-3.5-turbo'
const WRITER = 'gpt-4-turbo'
const DOLLAR = 500_000

/** An upstream of our own that writes what no model should: HTML that runs, beside Markdown. */
const WRITTEN = `# Plan\n\n<img src=x onerror="window.hacked = 1"><script>window.hacked = 1</script>\n
| a | b |\n|---|---|\n| 1 | 2 |\n\n\`\`\`ts\nconst a = 1\n\`\`\`\n\n[link](https://example.com)`

let writer: ReturnType<typeof Bun.serve>
let anna: AdminClient
let count = 0

describeConsole({ hasProblems: true })

beforeAll(async () => {
  writer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: writeMarkdown })
  await addLabChannel(site.root, site.lab, { provider: 'openai', models: [MODEL, OTHER_MODEL, TEXT_MODEL] })
  const base_url = `http://127.0.0.1:${writer.port}`
  await site.root.call(createChannels, {
    body: { type: 1, name: 'writer', key: 'k', base_url, models: WRITER, group: 'vip' },
  })
  await setOptions(site.root, {
    GroupRatio: { default: 1, vip: 2, idle: 1 },
    UserUsableGroups: { default: 'everybody', vip: 'better', idle: 'without a channel' },
  })
})

afterAll(async () => {
  await writer?.stop(true)
})

beforeEach(async () => {
  count += 1
  anna = await addUser(site.gateway, { username: `anna${count}`, wallet: 10 * DOLLAR })
  await openAs(anna)
})

const IMAGE_URL = 'https://pictures.example/stolen'
/** Every way to have something loaded by showing a text. */
const IMAGES = `![secret](${IMAGE_URL}?text=secret)\n
<video src="${IMAGE_URL}" poster="${IMAGE_URL}"></video><table background="${IMAGE_URL}"><tr><td>x</td></tr></table>
<svg><image href="${IMAGE_URL}"/></svg><img srcset="${IMAGE_URL} 2x"><audio src="${IMAGE_URL}" autoplay></audio>`

async function writeMarkdown(request: Request): Promise<Response> {
  const content = (await request.text()).includes('images') ? IMAGES : WRITTEN
  const chunk = { choices: [{ index: 0, delta: { content }, finish_reason: null }] }
  const text = `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

async function openPlayground(search = ''): Promise<void> {
  await page.goto(`${site.gateway.url}/playground${search}`)
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
}

const box = () => page.getByLabel('Message', { exact: true })
const responses = () => page.getByRole('article', { name: 'Assistant' })
const questions = () => page.getByRole('article', { name: 'You' })
const inState = (state: string) => page.locator(`article[data-state=${state}]`)

async function ask(content: string): Promise<void> {
  await box().fill(content)
  await box().press('Enter')
}

describe('a response', () => {
  test('streams to its end after a request as the specification describes', async () => {
    await openPlayground()
    const sent = page.waitForRequest('**/pg/chat/completions')
    await ask('hello [lab: pace-40+first-token-800+tokens-40]')
    await inState('loading').waitFor()
    await inState('incomplete').waitFor()
    await inState('complete').waitFor()
    const request = await sent
    expect(request.headers()['new-api-user']).toBe(String(anna.userId))
    expect(request.postDataJSON()).toEqual({
      model: MODEL,
      messages: [{ role: 'user', content: 'hello [lab: pace-40+first-token-800+tokens-40]' }],
      stream: true,
    })
    expect(await responses().textContent()).toContain('Hello from the lab')
    expect(opened.problems()).toEqual([])
  })

  test('shows the exact charge and links to its log row', async () => {
    await openPlayground()
    await ask('hello [lab: tokens-500]')
    const cost = responses().getByTitle(/^\$0\.\d{6}$/)
    await cost.waitFor()
    const { quota } = await anna.call(getSelf)
    expect(await cost.getAttribute('title')).toBe(`$${((10 * DOLLAR - quota) / DOLLAR).toFixed(6)}`)
    await responses()
      .getByText(/first token [\d.]+ s/)
      .waitFor()
    await responses()
      .getByText(/total [\d.]+ s/)
      .waitFor()
    await responses().getByRole('link', { name: 'View log' }).click()
    await page.waitForURL('**/log?request=*')
    await page.locator('tbody tr').first().waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  test('keeps its buttons in place when its tokens and cost arrive', async () => {
    const { promise: isTime, resolve: letThrough } = Promise.withResolvers<void>()
    await page.route('**/api/log/self?**', async route => {
      await isTime
      await route.continue()
    })
    await openPlayground()
    await ask('hello [lab: tokens-500]')
    const place = () => page.getByRole('button', { name: 'Regenerate' }).boundingBox()
    await inState('complete').waitFor()
    const before = await place()
    letThrough()
    await responses()
      .getByTitle(/^\$0\.\d{6}$/)
      .waitFor()
    expect(await place()).toEqual(before)
  })

  test('can be stopped, which keeps what has arrived and shows the cost once the provider has told it', async () => {
    await openPlayground()
    await ask('hello [lab: pace-50+tokens-2000]')
    await inState('incomplete').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await responses().getByText('Stopped').waitFor()
    expect(await responses().textContent()).toContain('Hello')
    await responses()
      .getByTitle(/^\$0\.\d{6}$/)
      .waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor()
  })

  test('keeps its text when it fails midway, shows the reason, and is replaced by a retry', async () => {
    await openPlayground()
    await ask('hello [lab: error-event-8]')
    await inState('error').waitFor()
    expect(await responses().textContent()).toMatch(/Hello from the lab.*Failed: /s)
    await page.route('**/pg/chat/completions', route => {
      const body = { ...route.request().postDataJSON(), messages: [{ role: 'user', content: 'hello' }] }
      return route.continue({ postData: JSON.stringify(body) })
    })
    await page.getByRole('button', { name: 'Regenerate' }).click()
    await inState('complete').waitFor()
    expect(await responses().count()).toBe(1)
  })

  test('reports an upstream 401 without signing the user out', async () => {
    await openPlayground()
    await ask('hello [lab: dead-key]')
    await inState('error').getByText('Incorrect API key provided').waitFor()
    expect(new URL(page.url()).pathname).toBe('/playground')
    await ask('hello')
    await inState('complete').waitFor()
  })

  test('shows collapsed reasoning and requested tool calls', async () => {
    await openPlayground()
    const tools = [
      { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
    ]
    await page.getByLabel('Tools (JSON)').fill(JSON.stringify(tools))
    await ask('hello [lab: reasoning-20+tools]')
    await inState('complete').waitFor()
    await responses().getByText('Calling get_weather').waitFor()
    const thoughts = responses().locator('details', { hasText: 'Reasoning' })
    expect(await thoughts.getAttribute('open')).toBeNull()
    await thoughts.locator('summary').click()
    expect(await thoughts.locator('p').isVisible()).toBe(true)
  })

  test('renders Markdown without running scripts', async () => {
    await openPlayground(`?model=${WRITER}&group=vip`)
    await ask('write')
    await inState('complete').waitFor()
    await responses().getByRole('table').waitFor()
    expect(await responses().getByRole('link', { name: 'link', exact: true }).getAttribute('rel')).toBe(
      'noopener noreferrer',
    )
    await responses().getByRole('button', { name: 'Copy ts' }).click()
    expect(await page.evaluate<string>('window.copied')).toBe('const a = 1')
    expect(await page.evaluate<unknown>('window.hacked')).toBeUndefined()
    expect(await responses().locator('script, [onerror]').count()).toBe(0)
  })

  test('loads an image of a response only when the reader asks for it', async () => {
    const loaded: string[] = []
    await page.route(`${IMAGE_URL}**`, route => {
      loaded.push(route.request().url())
      return route.fulfill({
        body: '<svg xmlns="http://www.w3.org/2000/svg"/>',
        contentType: 'image/svg+xml',
      })
    })
    await openPlayground(`?model=${WRITER}&group=vip`)
    await ask('images')
    await inState('complete').waitFor()
    const name = 'Show the image from pictures.example: secret'
    const button = responses().getByRole('button', { name })
    await button.waitFor()
    await page.waitForLoadState('networkidle')
    expect(loaded).toEqual([])
    await button.click()
    await waitUntil({ description: 'the image', timeoutMs: 20_000 }, async () => loaded.length > 0)
    expect(loaded).toEqual([`${IMAGE_URL}?text=secret`])
  })

  test('shows a server error in the conversation', async () => {
    await openPlayground('?model=no-such-model')
    await ask('hello')
    await inState('error').waitFor()
    expect(await responses().textContent()).toContain('no-such-model')
  })

  test('scrolls along until the user scrolls up', async () => {
    await openPlayground()
    await ask('hello [lab: pace-5+tokens-15000]')
    const list = page.getByRole('region', { name: 'Conversation' })
    const rest = () => list.evaluate(node => node.scrollHeight - node.scrollTop - node.clientHeight)
    await waitUntil({ description: 'a long answer', timeoutMs: 20_000 }, () =>
      list.evaluate(node => node.scrollTop > 200),
    )
    const isAtEnd = async () => (await rest()) < 60
    await waitUntil({ description: 'the end in sight', timeoutMs: 20_000 }, isAtEnd)
    await list.evaluate(node => node.scrollTo({ top: 0 }))
    await page.getByRole('button', { name: 'Scroll to the end' }).waitFor()
    const height = await list.evaluate(node => node.scrollHeight)
    await waitUntil({ description: 'more of the answer', timeoutMs: 20_000 }, () =>
      list.evaluate((node, before) => node.scrollHeight > before, height),
    )
    expect(await list.evaluate(node => node.scrollTop)).toBe(0)
    await page.getByRole('button', { name: 'Scroll to the end' }).click()
    await waitUntil({ description: 'the end in sight again', timeoutMs: 20_000 }, isAtEnd)
    await page.getByRole('button', { name: 'Stop' }).click()
  })
})

describe('the conversation', () => {
  test('resends everything after an edited message', async () => {
    await openPlayground()
    await ask('first')
    await inState('complete').first().waitFor()
    await ask('second')
    await inState('complete').nth(1).waitFor()
    await questions().first().getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByLabel('Edit message').fill('changed')
    const sent = page.waitForRequest('**/pg/chat/completions')
    await page.getByRole('button', { name: 'Resend', exact: true }).click()
    expect((await sent).postDataJSON().messages).toEqual([{ role: 'user', content: 'changed' }])
    await inState('complete').waitFor()
    expect(await questions().allInnerTexts()).toEqual(['changed'])
  })

  test('is accessible with reasoning, tools, a failure and request details', async () => {
    await openPlayground()
    await ask('hello [lab: reasoning-9+tokens-30]')
    await inState('complete').waitFor()
    await ask('hello [lab: error-event-5]')
    await inState('error').waitFor()
    await page.getByRole('button', { name: 'Request details' }).click()
    await page.getByText('Raw events').waitFor()
    expect(await findViolations(page)).toEqual([])
  })

  test('persists in the browser per user until it is cleared', async () => {
    await openPlayground()
    await ask('remember me')
    await inState('complete').waitFor()
    await page.reload()
    await questions().getByText('remember me').waitFor()
    await page.getByRole('button', { name: 'Delete this message' }).last().click()
    expect(await responses().count()).toBe(0)
    await page.getByRole('button', { name: 'Clear conversation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Clear conversation' }).click()
    await page.getByText('Start a conversation').waitFor()
    await page.reload()
    await page.getByText('Start a conversation').waitFor()
  })

  test('and the settings leave the browser when the user signs out', async () => {
    await openPlayground()
    await page.getByLabel('System prompt').fill('A secret prompt.')
    await ask('a secret question')
    await inState('complete').waitFor()
    await page.getByRole('button', { name: 'User menu' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('secret')
  })

  test('inserts a line break with Shift+Enter and ignores Enter during composition', async () => {
    await openPlayground()
    await box().fill('one')
    await box().press('Shift+Enter')
    await box().pressSequentially('two')
    await box().dispatchEvent('keydown', { key: 'Enter', isComposing: true })
    expect(await questions().count()).toBe(0)
    await box().press('Enter')
    expect(await questions().locator('p').textContent()).toBe('one\ntwo')
  })
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('two models answer a message with a picture side by side, and are there again after another conversation', async () => {
  await openPlayground()
  await page.getByRole('button', { name: 'Compare side by side' }).click()
  await page.getByRole('combobox', { name: 'Model of column 2' }).click()
  await page.getByRole('option', { name: OTHER_MODEL, exact: true }).click()
  await page.locator('input[type=file]').setInputFiles([
    { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') },
    { name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') },
  ])
  await page.getByText('notes.txt was not added').waitFor()
  await page.getByRole('img', { name: 'cat.png' }).waitFor()
  const bodies: unknown[] = []
  page.on('request', request => {
    if (request.url().endsWith('/pg/chat/completions')) bodies.push(request.postDataJSON())
  })
  await ask('compare these')
  await inState('complete').nth(1).waitFor()
  const content = [
    { type: 'text', text: 'compare these' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
  ]
  const messages = [{ role: 'user', content }]
  expect(bodies).toMatchObject([
    { model: MODEL, messages },
    { model: OTHER_MODEL, messages },
  ])
  for (const model of [MODEL, OTHER_MODEL]) {
    const column = page.getByRole('region', { name: `: ${model}`, exact: false }).last()
    await column.getByText(/first token/).waitFor()
    await column.getByTitle(/^\$0\.\d{6}$/).waitFor()
  }
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'New conversation', exact: true }).click()
  await page.getByText('Start a conversation').waitFor()
  await page.getByRole('button', { name: 'Conversations: New conversation' }).click()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: `compare these ${MODEL}` }).click()
  expect(await responses().count()).toBe(2)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.getByRole('tab', { name: OTHER_MODEL, exact: true }).click()
  expect(await responses().count()).toBe(1)
  expect(await findViolations(page)).toEqual([])
  await page.reload()
  await page.getByText('cat.png (images are not kept)').waitFor()
  expect(opened.problems()).toEqual([])
})

test('says beside an attached picture that the chosen model does not read images', async () => {
  await openPlayground(`?model=${TEXT_MODEL}`)
  const warning = page.getByText(`${TEXT_MODEL} does not read images`)
  await page.getByText('Start a conversation').waitFor()
  expect(await warning.count()).toBe(0)
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: Buffer.from(PNG, 'base64') })
  await warning.waitFor()
  await page.getByRole('button', { name: 'Remove cat.png' }).click()
  await warning.waitFor({ state: 'detached' })
})

describe('the settings', () => {
  test('list the own group first and the models of a group, and are sent with the request', async () => {
    await openPlayground()
    await page.getByLabel('Group').click()
    const groups = page.getByRole('option')
    await groups.first().waitFor()
    expect(await groups.first().textContent()).toContain('Your group (default)')
    await page.getByRole('option', { name: /vip/ }).click()
    await page.getByLabel('Model').click()
    await page.getByRole('option', { name: WRITER }).click()
    await page.getByRole('switch', { name: 'Temperature' }).check()
    await page.getByRole('slider', { name: 'Custom temperature' }).fill('0.3')
    await page.getByLabel('Max output tokens').fill('64')
    await page.getByLabel('System prompt').fill('Be brief.')
    const sent = page.waitForRequest('**/pg/chat/completions')
    await ask('hello')
    expect((await sent).postDataJSON()).toEqual({
      model: WRITER,
      group: 'vip',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
      stream: true,
      temperature: 0.3,
      max_tokens: 64,
    })
    await page.reload()
    expect(await page.getByLabel('System prompt').inputValue()).toBe('Be brief.')
  })

  test('are saved as a preset and applied again', async () => {
    await openPlayground()
    const prompt = page.getByLabel('System prompt')
    await prompt.fill('Translate into French.')
    await page.getByRole('button', { name: 'Save as preset' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Translator')
    await page.keyboard.press('Enter')
    await prompt.fill('Write a poem.')
    await page.reload()
    expect(await prompt.inputValue()).toBe('Write a poem.')
    await page.getByLabel('Preset', { exact: true }).selectOption('Translator')
    expect(await prompt.inputValue()).toBe('Translate into French.')
    await page.getByRole('button', { name: 'Undo' }).click()
    expect(await prompt.inputValue()).toBe('Write a poem.')
  })

  test('show sample code and the raw request', async () => {
    await openPlayground()
    await ask('hello')
    await inState('complete').waitFor()
    await page.getByRole('button', { name: 'Request details' }).click()
    const panel = page.getByRole('complementary', { name: 'Request details' })
    await panel.getByText('/v1/chat/completions').waitFor()
    await panel.getByText('[DONE]').waitFor()
    await panel.getByRole('tab', { name: 'Node' }).click()
    await panel.getByText(/baseURL/).waitFor()
  })

  test('open in a dialog on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await openPlayground('?expired=true')
    await page.getByText('You are not signed in or your session has expired').waitFor()
    await page.getByRole('button', { name: 'Open settings' }).click()
    await page.getByRole('dialog').getByLabel('System prompt').fill('Short.')
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    const sent = page.waitForRequest('**/pg/chat/completions')
    await ask('hello')
    expect((await sent).postDataJSON().messages[0]).toEqual({ role: 'system', content: 'Short.' })
  })
})

describe('example questions', () => {
  const examples = () => page.getByRole('button', { name: /HTTP\/3/ })
  const choices = /\/api\/(user\/models|pricing)/

  test('are hidden in a group without models, with a hint on what to do', async () => {
    await openPlayground('?group=idle')
    await page.getByRole('heading', { name: 'This group has no models' }).waitFor()
    await page.getByText('Choose another group, or contact the administrator').waitFor()
    expect(await examples().count()).toBe(0)
  })

  test('are hidden for a model that the group does not serve', async () => {
    await openPlayground('?model=nobody-serves-this')
    await page.getByRole('heading', { name: 'nobody-serves-this is not available in this group' }).waitFor()
    expect(await examples().count()).toBe(0)
  })

  test('appear once a failed load succeeds', async () => {
    await page.route(choices, route => route.fulfill({ status: 500, body: '{}' }))
    await openPlayground()
    await page.getByRole('combobox', { name: 'Model' }).waitFor()
    await examples().waitFor({ state: 'detached' })
    await page.getByText('Could not load').waitFor()
    expect(await page.getByText('This group has no models').count()).toBe(0)
    await page.unroute(choices)
    await page.getByRole('button', { name: 'Retry' }).click()
    await examples().click()
    await inState('complete').waitFor()
  })

  test('wait until the model is known', async () => {
    await page.route(choices, () => undefined)
    await openPlayground()
    expect(await examples().isDisabled()).toBe(true)
    expect(await page.getByText('This group has no models').count()).toBe(0)
  })
})

test('keeps the message box visible below a banner', async () => {
  await openOnce(anna)
  await openPlayground()
  await page.context().setOffline(true)
  await page.getByText('You are offline').waitFor()
  const { y = 0, height = 0 } = (await box().boundingBox()) ?? {}
  expect(y + height).toBeLessThan(await page.evaluate<number>('innerHeight'))
  expect(await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight')).toBe(0)
})
