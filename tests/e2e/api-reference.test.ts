import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../harness/browser.ts'
import { openConsole } from '../harness/open-console.ts'
import { type RunningGateway, startGateway } from '../harness/start-gateway.ts'

let gateway: RunningGateway
let browser: Browser

beforeAll(async () => {
  ;[gateway, browser] = await Promise.all([startGateway(), openBrowser()])
})
afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

test('the API reference explains an operation and its fields without requests to other hosts', async () => {
  const { page, problems, close } = await openConsole(browser, gateway)
  const hosts = new Set<string>()
  page.on('request', request => {
    const { protocol, host } = new URL(request.url())
    if (protocol.startsWith('http')) hosts.add(host)
  })
  await page.goto(`${gateway.url}/api/docs`)
  await page.locator('#operations-tag-Tokens').click()
  const operation = page.locator('.opblock', { hasText: 'Create a token' })
  await operation.locator('.opblock-summary').first().click()
  await operation.getByText('Access: signed-in users.').waitFor()
  await operation.getByText('remain_quota').first().waitFor()
  expect([...hosts]).toEqual([new URL(gateway.url).host])
  expect(problems()).toEqual([])
  await close()
})

test('calls from the API reference reach the gateway', async () => {
  const { page, problems, close } = await openConsole(browser, gateway)
  await page.goto(`${gateway.url}/api/docs`)
  await page.locator('#operations-tag-Status').click()
  const operation = page.locator('.opblock', { hasText: 'Get public information' })
  await operation.locator('.opblock-summary').first().click()
  await operation.getByRole('button', { name: 'Try it out' }).click()
  await operation.getByRole('button', { name: 'Execute' }).click()
  await operation.locator('.live-responses-table').getByText('"system_name"').first().waitFor()
  expect(problems()).toEqual([])
  await close()
})
