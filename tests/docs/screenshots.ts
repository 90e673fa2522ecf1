import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { listChannels, updateChannel } from '#features/channels/contract/channel-endpoints.ts'
import { type AdminClient, signIn } from '../harness/api-client.ts'
import { openBrowser } from '../harness/browser.ts'
import { type OpenConsole, openConsole, type View } from '../harness/open-console.ts'
import { PROJECT } from '../harness/program.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'

/**
 * Writes the screenshots of the guides, `docs/images/NAME.LANGUAGE.webp`, from a gateway with the data of `npm run dev`:
 * `bun tests/docs/screenshots.ts`. A page shows each with `![…](../images/NAME.LANGUAGE.webp)`.
 */
interface Screenshot {
  readonly name: string
  readonly path: string
  /** Shows what the screenshot is of, once the page is loaded. */
  readonly prepare?: (opened: OpenConsole) => Promise<void>
}

const PASSWORD = 'tollgate-dev'
const WIDTH = 1180
const HEIGHT = 720
const WEBP_QUALITY = 0.72
const KILOBYTES_MAX = 80
const KILOBYTE = 1000

/** Scrolls what lies in the middle of a part of the page. */
async function scroll(page: Page, part: string, by: number): Promise<void> {
  await page.locator(part).first().hover()
  await page.mouse.wheel(0, by)
}

const SCREENSHOTS: readonly Screenshot[] = [
  { name: 'channels', path: '/channel' },
  {
    name: 'prices',
    path: '/setting?tab=operation&section=models',
    prepare: ({ page }) => scroll(page, '#models h2', 90),
  },
  {
    name: 'token-limits',
    path: '/token?edit=new',
    prepare: ({ page }) => scroll(page, '[role=dialog] form', 760),
  },
  {
    name: 'receipt',
    path: '/log?range=30d&model=gpt-4o-mini&type=2',
    prepare: async ({ page }) => {
      const rows = page.locator('tbody tr')
      await rows.first().getByRole('button').first().click()
      await rows.nth(1).getByRole('button').first().waitFor()
      await scroll(page, 'thead', 540)
    },
  },
  { name: 'statement', path: '/statement?user=2' },
  {
    name: 'single-sign-on',
    path: '/identity-provider',
    prepare: async ({ page }) => {
      await page.getByRole('main').getByRole('button').last().click()
      await page.getByRole('dialog').waitFor()
    },
  },
]

/** By the names that the development data gives them. */
const CHANNEL_NAMES: Readonly<Record<string, string>> = {
  'Lab OpenAI': 'OpenAI',
  'Lab OpenAI, unreliable': 'OpenAI, second account',
  'Lab Anthropic': 'Anthropic',
  'Lab Gemini': 'Gemini',
  'Lab Suno': 'Suno',
  'Lab Midjourney': 'Midjourney',
}

async function nameChannels(client: AdminClient): Promise<void> {
  const channels = await client.call(listChannels, { query: {} })
  for (const { id, name } of channels) {
    const given = CHANNEL_NAMES[name]
    if (given) await client.call(updateChannel, { body: { id, name: given } })
  }
}

async function writeScreenshots(gateway: RunningGateway): Promise<void> {
  const client = await signIn(gateway.url, { username: 'root', password: PASSWORD })
  await nameChannels(client)
  const browser = await openBrowser()
  try {
    for (const language of ['en', 'zh'] as const) {
      const view: View = { language, theme: 'light', width: WIDTH }
      const opened = await openConsole(browser, gateway, { view, client })
      await opened.page.setViewportSize({ width: WIDTH, height: HEIGHT })
      for (const screenshot of SCREENSHOTS) await writeScreenshot(opened, screenshot, language)
      await opened.close()
    }
  } finally {
    await browser.close()
  }
}

async function writeScreenshot(opened: OpenConsole, { name, path, prepare }: Screenshot, language: string) {
  const { page } = opened
  await opened.visit(path)
  await opened.settled()
  await prepare?.(opened)
  await opened.settled()
  const bytes = await toWebp(page, await page.screenshot())
  const file = join(PROJECT, 'docs', 'images', `${name}.${language}.webp`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes)
  const kilobytes = bytes.length / KILOBYTE
  if (kilobytes > KILOBYTES_MAX)
    throw new Error(`${file} has ${kilobytes} KB, at most ${KILOBYTES_MAX} are allowed`)
  process.stdout.write(`${file}: ${kilobytes.toFixed(0)} KB\n`)
}

/** The browser encodes WebP, which halves the bytes of a PNG. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const blank = await page.context().newPage()
  const encoded = await blank.evaluate<string>(`(async () => {
    const image = new Image()
    image.src = 'data:image/png;base64,${png.toString('base64')}'
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = image.width
    canvas.height = image.height
    canvas.getContext('2d').drawImage(image, 0, 0)
    return canvas.toDataURL('image/webp', ${WEBP_QUALITY}).split(',')[1]
  })()`)
  await blank.close()
  return Buffer.from(encoded, 'base64')
}

/** A month of requests, as `npm run dev` makes it. */
async function fillDatabase(dataDir: string): Promise<void> {
  const filling = Bun.spawn([process.execPath, join(PROJECT, 'scripts', 'dev-data.ts')], {
    cwd: PROJECT,
    env: { ...process.env, TOLLGATE_DEV: '1', ROOT_PASSWORD: PASSWORD, DATA_DIR: dataDir },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await filling.exited) !== 0) throw new Error('the database could not be filled')
}

const folder = makeTemporaryFolder()
try {
  const dataDir = process.env.DATA_DIR ?? folder.path
  if (process.env.DATA_DIR === undefined) await fillDatabase(dataDir)
  await using gateway = await startGateway({ dataDir, isDevelopment: true })
  await writeScreenshots(gateway)
} finally {
  folder.remove()
}
process.exit(0)
