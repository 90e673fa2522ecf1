import { source } from 'axe-core'
import type { Page } from 'playwright-core'

/** All rules at once, of this page: what stands in frames is not ours. */
const RUN = `axe.run(document, { iframes: false, resultTypes: ['violations'] }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' at ' + target.join(' '))))`

/** What axe objects to on a page as it is now: the rule, and where. */
export async function findViolations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(source)
  return page.evaluate<readonly string[]>(RUN)
}
