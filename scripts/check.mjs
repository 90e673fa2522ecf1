import { runChecks } from './lib/checks.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'

const USAGE = `
Usage: npm run check [-- --fast]

Checks format, lint, types, import boundaries, dead code, house rules, documentation and size budgets in parallel.
With --fast, in seconds: types and house rules, and format and lint of the files changed since the last commit.
Exits with 1 when a check fails.
`

await main(USAGE, async args => {
  await install()
  const outcomes = await runChecks(print, { isFast: args.includes('--fast') })
  return outcomes.every(outcome => outcome.isPassed) ? 0 : 1
})

function print({ name, isPassed, output, seconds }) {
  if (!isPassed) process.stdout.write(`\n${output}\n`)
  process.stdout.write(`${isPassed ? 'ok    ' : 'FAILED'} ${name} (${seconds.toFixed(1)} s)\n`)
}
