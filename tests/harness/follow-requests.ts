import type { Page, Request } from 'playwright-core'
import { waitUntil } from './wait-until.ts'

const QUIET_TIMEOUT_MS = 30_000
/** What an answer changes is drawn in one frame, and what that asks for is asked for in the next. */
const TWO_FRAMES = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
const IS_BUSY = `document.querySelector('[aria-busy=true]') !== null`

/** Counts a page's requests from now on. Gives what waits until none is under way and nothing says that it is busy. */
export function followRequests(page: Page): () => Promise<void> {
  const pending = new Set<Request>()
  page.on('request', request => pending.add(request))
  page.on('requestfinished', request => pending.delete(request))
  page.on('requestfailed', request => pending.delete(request))
  const isQuiet = async () => {
    await page.evaluate(TWO_FRAMES)
    return pending.size === 0 && !(await page.evaluate<boolean>(IS_BUSY))
  }
  return async () => {
    await waitUntil(
      { what: `the page ${page.url()} to be quiet`, timeoutMs: QUIET_TIMEOUT_MS },
      async () => (await isQuiet()) && (await isQuiet()),
    )
  }
}
