import { beforeEach, describe, expect, test } from 'bun:test'
import { updateToken } from '#contract/entities/token.ts'
import { addUser } from '../harness/add-user.ts'
import type { AdminClient } from '../harness/api-client.ts'
import { describeConsole, openAs, openOnce, page, site } from '../harness/describe-console.ts'
import { addToken } from '../harness/lab-channel.ts'
import { setOptions } from '../harness/set-options.ts'

const ELSEWHERE = 'https://pages.example'
/** Writes down what it is told. */
const FRAMED = `<!doctype html><title>framed</title><h1>framed</h1><p></p><script>
  addEventListener('message', ({ data }) => { document.querySelector('p').textContent += JSON.stringify(data) })
</script>`
const HOSTILE =
  '# Ours\n\n<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"><form><input></form>'

describeConsole()

beforeEach(() => openFramed(undefined))

/** Opens a window that reaches the framed page. */
async function openFramed(client: AdminClient | undefined): Promise<void> {
  await openAs(client)
  await page.route(`${ELSEWHERE}/**`, route => route.fulfill({ body: FRAMED, contentType: 'text/html' }))
}

const open = (path: string) => page.goto(site.gateway.url + path)

describe.each([
  ['home', '/', 'HomePageContent', 'One address for every model'],
  ['about', '/about', 'About', 'Tollgate is an AI model gateway'],
] as const)('the page %s', (_, path, option, ours) => {
  test('shows the built-in page while the operator has set none', async () => {
    await setOptions(site.root, { [option]: '' })
    await open(path)
    await page.getByText(ours).waitFor()
  })

  test("renders the operator's Markdown without running scripts", async () => {
    await setOptions(site.root, { [option]: HOSTILE })
    await open(path)
    await page.getByRole('heading', { name: 'Ours' }).waitFor()
    expect(await page.evaluate<unknown>('window.hacked')).toBeUndefined()
    expect(await page.locator('main').locator('script, form, [onerror]').count()).toBe(0)
  })

  test('frames an external page and passes theme and language', async () => {
    await setOptions(site.root, { [option]: `${ELSEWHERE}/page` })
    await open(path)
    const frame = page.frameLocator('iframe')
    await frame.getByText('{"themeMode":"light"}').waitFor()
    await frame.getByText('{"lang":"en"}').waitFor()
    expect(await page.locator('iframe').getAttribute('title')).not.toBe('')
    expect(await page.locator('iframe').getAttribute('sandbox')).toContain('allow-scripts')
  })
})

describe('the announcement', () => {
  test('opens once for each new text and later from the bell', async () => {
    await setOptions(site.root, { HomePageContent: '', Notice: '**Closed** on Sunday' })
    await open('/')
    const dialog = page.getByRole('dialog', { name: 'Announcement' })
    await dialog.getByText('Closed').waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('button', { name: 'Announcement' }).click()
    await dialog.getByText('on Sunday').waitFor()
    await setOptions(site.root, { Notice: 'Open again' })
    await page.reload()
    await dialog.getByText('Open again').waitFor()
    await setOptions(site.root, { Notice: '' })
  })
})

describe('chats', () => {
  const links = (...chats: readonly Readonly<Record<string, string>>[]) =>
    setOptions(site.root, { Chats: JSON.stringify(chats), ChatLink: '', ChatLink2: '' })
  const NEXT = { Next: `${ELSEWHERE}/#/?key={key}&url={address}` }

  test('open in a frame with the first enabled token after consent to share its key', async () => {
    const anna = await addUser(site.gateway, { username: 'anna', wallet: 1 })
    const { key } = await addToken(anna, { name: 'for chat' })
    const { id } = await addToken(anna, { name: 'newer, but disabled' })
    await anna.call(updateToken, { query: { status_only: true }, body: { id, status: 2 } })
    await links(NEXT)
    await openFramed(anna)
    await open('/token')
    await page.getByRole('button', { name: 'Show · Chat' }).click()
    await page.getByRole('link', { name: 'Next' }).click()
    await page.waitForURL('**/chat/0')
    await page.getByText('Share the key with pages.example?').waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
    await page.getByRole('button', { name: 'Agree and open' }).click()
    const source = await page.locator('iframe').getAttribute('src')
    expect(source).toContain(`key=sk-${key}`)
    expect(await page.getByRole('navigation', { name: 'Main navigation' }).count()).toBe(0)
    await page.reload()
    await page.frameLocator('iframe').getByRole('heading', { name: 'framed' }).waitFor()
  })

  test('link to the tokens when none is enabled', async () => {
    const bert = await addUser(site.gateway, { username: 'bert', wallet: 1 })
    await openFramed(bert)
    await open('/chat')
    await page.getByText('You have no enabled token').first().waitFor()
    await page.waitForURL('**/token')
  })

  test('report a missing or invalid configuration', async () => {
    await openFramed(site.root)
    await links()
    await open('/chat/3')
    await page.getByText('Contact the administrator to set up a chat link').waitFor()
    await links({ Broken: 'fluentread' })
    await open('/chat')
    await page.getByText('The chat link is not valid').waitFor()
  })

  test('ask a visitor to sign in', async () => {
    await open('/chat')
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL('**/login')
  })

  test('are the target of /chat2link', async () => {
    const carl = await addUser(site.gateway, { username: 'carl', wallet: 1 })
    const { key } = await addToken(carl)
    await links(NEXT)
    await openFramed(carl)
    await open('/chat2link')
    await page.getByRole('button', { name: 'Agree and open' }).click()
    await page.waitForURL(`${ELSEWHERE}/**`)
    expect(page.url()).toContain(`sk-${key}`)
  })
})

test('greets once on January 1st, without animation under reduced motion', async () => {
  await openOnce(undefined)
  await page.clock.setFixedTime(new Date(2027, 0, 1, 9))
  await open('/')
  const greeting = page.getByRole('complementary', { name: 'Happy New Year!' })
  await greeting.waitFor()
  await greeting.getByRole('button', { name: 'Close' }).click()
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  expect(await greeting.count()).toBe(0)
})

test('credits Tollgate by a link while the operator has no footer', async () => {
  await setOptions(site.root, { Footer: '' })
  await open('/')
  await page.getByRole('contentinfo').getByRole('link', { name: 'Powered by Tollgate' }).click()
  await page.waitForURL('**/about')
})

test("shows the operator's footer without scripts", async () => {
  await setOptions(site.root, { Footer: '<b>Ours</b><script>window.hacked = 1</script>' })
  await open('/')
  await page.getByRole('contentinfo').getByText('Ours').waitFor()
  expect(await page.evaluate<unknown>('window.hacked')).toBeUndefined()
})
