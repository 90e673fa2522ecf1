import { source } from 'axe-core'
import type { Page } from 'playwright-core'

/** Visible and spoken texts, except those marked as Chinese, such as the name of the language. */
const FIND = `(() => {
  const chinese = /[\\u3000-\\u303f\\u4e00-\\u9fff\\uff00-\\uffef]/
  const spoken = ['aria-label', 'aria-description', 'alt', 'title', 'placeholder', 'value']
  const isMarked = element => element.closest('[lang^=zh], script, style') !== null
  return [document.title, ...[...document.querySelectorAll('body, body *')].filter(element => !isMarked(element)).flatMap(element => [
    ...[...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).map(node => node.data),
    ...spoken.map(name => element.getAttribute(name) ?? ''),
    ...('value' in element ? [String(element.value)] : []),
  ])].filter(text => chinese.test(text))
})()`

/** Chinese texts on a page: content, labels, titles, placeholders and field values. */
export const findChinese = (page: Page): Promise<readonly string[]> => page.evaluate<readonly string[]>(FIND)

/** Amounts in quota units, which nobody reads while amounts are shown in dollars: `250,000 units`, `quota: 250000`, `$0.50 · 250,000`. */
const UNIT_FIGURE =
  /\d[\d,.]{4,}\s*(quota|units?\b|点|额度)|(quota|units|额度)\W{1,3}\d[\d,]{4,}|[$＄][\d.,]+ · [\d,]+$/i

/** Texts and field values that show what only programs know: a missing value, a number that is none, an object, a unit figure. */
export const findLeakedValues = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`[document.title, ...document.body.innerText.split('\\n'),
    ...[...document.querySelectorAll('[aria-label], [title], [data-tooltip], [alt]')].flatMap(element =>
      [element.ariaLabel ?? '', element.title ?? '', element.dataset.tooltip ?? '', element.alt ?? '']),
    ...[...document.querySelectorAll('input, textarea')].map(field => field.value),
  ].filter(text => /\\b(undefined|null|NaN|Infinity)\\b|\\[object /.test(text) || ${UNIT_FIGURE}.test(text))`)

/** Runs axe without frames, whose content is not part of the console. */
const run = (context: string, rules: string) =>
  `axe.run(${context}, { ${rules} iframes: false, resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' at ' + target.join(' '))))`

/** Axe violations of the current page, by all rules: rule and element. */
export const findViolations = (page: Page): Promise<readonly string[]> => runAxe(page, run('document', ''))

/**
 * Violations by all rules but the contrast of colours, which depends on the theme, hardly on the width, and takes more
 * time than the other rules together.
 */
export const findStructureViolations = (page: Page): Promise<readonly string[]> =>
  runAxe(page, run('document', `rules: { 'color-contrast': { enabled: false } },`))

/** Violations within some elements of the only rule that depends on the theme. */
export const findPoorContrast = (page: Page, selector: string): Promise<readonly string[]> =>
  runAxe(page, run(JSON.stringify(selector), `runOnly: ['color-contrast'],`))

async function runAxe(page: Page, script: string): Promise<readonly string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(source)
  return page.evaluate<readonly string[]>(script)
}
