import type { Page } from 'playwright-core'
import { waitUntil } from './wait-until.ts'

const TIMEOUT_MS = 20_000

/**
 * Waits until a JavaScript expression is true in the page. `page.waitForFunction` would evaluate it within the page, which the
 * content security policy forbids, unless it is true at once.
 */
export async function waitInPage(page: Page, expression: string): Promise<void> {
  await waitUntil({ description: expression, timeoutMs: TIMEOUT_MS }, () =>
    page.evaluate<boolean>(expression),
  )
}
