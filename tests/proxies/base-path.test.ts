import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { buildSite } from '../docs/site.ts'
import { openBrowser } from '../harness/browser.ts'
import { openConsole } from '../harness/open-console.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'
import { INSTALLED_PROXIES, type RunningProxy, startProxy } from './start-proxy.ts'

const PATH = '/gw'

interface Way {
  readonly name: string
  readonly environment: Readonly<Record<string, string>>
  readonly start: (gatewayUrl: string) => RunningProxy | Promise<RunningProxy>
}

/** Removes the path and states it, as Traefik and the proxies of clouds do. */
const REMOVING = [
  [
    'proxy_pass http://tollgate;',
    `proxy_pass http://tollgate/; proxy_set_header X-Forwarded-Prefix ${PATH};`,
  ],
] as const

const WAYS: readonly Way[] = [
  {
    name: 'the gateway itself',
    environment: { BASE_PATH: PATH },
    start: gatewayUrl => ({ url: gatewayUrl + PATH, stop: async () => undefined }),
  },
  ...INSTALLED_PROXIES.filter(name => name === 'traefik').map(name => ({
    name,
    environment: {},
    start: (gatewayUrl: string) => startProxy(name, gatewayUrl, { path: PATH }),
  })),
  ...INSTALLED_PROXIES.filter(name => name === 'nginx').flatMap(name => [
    {
      name,
      environment: { BASE_PATH: PATH },
      start: (gatewayUrl: string) => startProxy(name, gatewayUrl, { path: PATH }),
    },
    {
      name: `${name}, which removes the path`,
      environment: {},
      start: (gatewayUrl: string) => startProxy(name, gatewayUrl, { path: PATH, edits: REMOVING }),
    },
  ]),
]

let browser: Browser
beforeAll(async () => {
  ;[browser] = await Promise.all([openBrowser(), buildSite()])
})
afterAll(() => browser?.close())

describe.each(WAYS)('below a path of $name', ({ environment, start }) => {
  let gateway: RunningGateway
  let proxy: RunningProxy
  beforeAll(async () => {
    gateway = await startGateway({ environment: { TRUSTED_PROXIES: '127.0.0.1', ...environment } })
    proxy = await start(gateway.url)
  })
  afterAll(async () => {
    await proxy?.stop()
    await gateway?.stop()
  })

  /** A window, and the addresses strayUrls the path that it asked for. */
  async function openBelow() {
    const opened = await openConsole(browser, { ...gateway, url: proxy.url })
    const strayUrls: string[] = []
    opened.page.on('request', request => {
      if (request.url().startsWith('http') && !request.url().startsWith(`${proxy.url}/`))
        strayUrls.push(request.url())
    })
    return { ...opened, strayUrls }
  }

  test('people sign in, return to the page that they asked for, and see addresses with the path', async () => {
    const { page, problems, strayUrls, close } = await openBelow()
    await page.goto(`${proxy.url}/token?keyword=a`)
    await page.waitForURL('**/gw/login?*')
    await page.getByLabel('Username or email').fill('root')
    await page.getByLabel('Password', { exact: true }).fill(gateway.rootPassword)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL('**/gw/token?keyword=a')
    const cookies = await page.context().cookies(proxy.url)
    expect(cookies.map(({ path }) => path)).toEqual([PATH])
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.waitForURL('**/gw/log')
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor()
    await page.goto(`${proxy.url}/`)
    await page.getByText(proxy.url).first().waitFor()
    expect([strayUrls, problems()]).toEqual([[], []])
    await close()
  })

  test('the documentation opens, with its links', async () => {
    const { page, problems, strayUrls, close } = await openBelow()
    await page.goto(`${proxy.url}/docs`)
    await page.getByRole('link', { name: 'Reference', exact: true }).first().click()
    await page.waitForURL('**/gw/docs/reference/configuration')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect([strayUrls, problems()]).toEqual([[], []])
    await close()
  })

  test('the service worker looks after the path alone, and shows the page of the installation', async () => {
    const context = await browser.newContext({ serviceWorkers: 'allow' })
    await context.addInitScript(`localStorage.setItem('language', 'en')`)
    const page = await context.newPage()
    await page.goto(`${proxy.url}/login`)
    const scope = await page.evaluate('navigator.serviceWorker.ready.then(({ scope }) => scope)')
    expect(scope).toBe(`${proxy.url}/`)
    // What Chromium calls offline reaches pages, and workers only at times.
    await proxy.stop()
    await gateway.stop()
    await page.goto(`${proxy.url}/pricing`)
    await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor()
    await context.close()
  })
})
