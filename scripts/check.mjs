import { runChecks } from './lib/checks.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'

const USAGE = `
Usage: npm run check

Checks format, lint, types, import boundaries, dead code, house rules and size budgets in parallel.
Exits with 1 when a check fails.
`

await main(USAGE, async () => {
  await install()
  const outcomes = await runChecks(print)
  return outcomes.every(outcome => outcome.isPassed) ? 0 : 1
})

function print({ name, isPassed, output, seconds }) {
  if (!isPassed) process.stdout.write(`\n${output}\n`)
  process.stdout.write(`${isPassed ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`)
}
