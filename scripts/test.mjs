import { parseArgs } from 'node:util'
import { runChecks } from './lib/checks.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { longSuites, pathSuites, suiteStages } from './lib/suites.mjs'

const USAGE = `
Usage: npm test [-- [--postgres] PATH…]
       npm test -- --suite NAME,… | --without NAME,… [--shard N/COUNT]
       npm run test:long

Without a path: every check and every suite (unit, PostgreSQL, providers, SDKs, browser, crashes, load).
With paths of test files or folders: only those, without the checks.
npm run test:long runs what repeats at length, which CI runs as a job of its own.
With names of suites: only these, or all but these, without the checks; a shard is a part of the browser tests.

  npm test -- server/ledger                 the tests below a folder
  npm test -- server/relay/pipeline.test.ts one file
  npm test -- --postgres server/db          on a PostgreSQL that comes with the project
  npm test -- --suite e2e --shard 1/2       the first half of the browser tests

The run of everything ends with the slowest files. The last line is "N passed, N failed"; the exit code is 1 when anything failed.
`

const OPTIONS = {
  postgres: { type: 'boolean', default: false },
  suite: { type: 'string' },
  without: { type: 'string' },
  shard: { type: 'string' },
  long: { type: 'boolean', default: false },
}

const SLOWEST_FILES = 12

const outcomes = []

await main(USAGE, async args => {
  await attempt({
    name: 'set-up',
    async run() {
      await install()
      return { passed: 1, failed: 0, output: '' }
    },
  })
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  if (positionals.length > 0) await runInTurn(pathSuites(positionals, values.postgres))
  else if (values.long) await runInTurn(longSuites())
  else await runSuites(values)
  const sum = key => outcomes.reduce((total, outcome) => total + outcome[key], 0)
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`)
  return sum('failed') === 0 ? 0 : 1
})

/** Runs the chosen suites, or all of them and the checks. */
async function runSuites({ suite, without, shard }) {
  if (!suite && !without)
    await runChecks(({ name, isPassed, ...rest }) =>
      report({ name: `check: ${name}`, passed: Number(isPassed), failed: Number(!isPassed), ...rest }),
    )
  const stages = suiteStages({ only: suite?.split(','), without: without?.split(','), shard })
  for (const tracks of stages) await Promise.all(tracks.map(runInTurn))
  reportSlowestFiles()
}

async function runInTurn(suites) {
  for (const suite of suites) await attempt(suite)
}

/** Runs a suite; one that cannot run counts as failed. */
async function attempt({ run, ...suite }) {
  const startedAt = performance.now()
  const secondsSince = () => (performance.now() - startedAt) / 1000
  try {
    report({ ...suite, seconds: secondsSince(), ...(await run()) })
  } catch (error) {
    report({ ...suite, passed: 0, failed: 1, output: error.stack, seconds: secondsSince() })
  }
}

function report(outcome) {
  const { name, passed, failed, output } = outcome
  outcomes.push(outcome)
  if (failed > 0) process.stdout.write(`\n${output}\n`)
  process.stdout.write(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name}: ${passed} passed, ${failed} failed (${timeOf(outcome)})\n`,
  )
}

function timeOf({ seconds, budgetSeconds = Number.POSITIVE_INFINITY }) {
  const time = `${seconds.toFixed(1)} s`
  if (!Number.isFinite(budgetSeconds)) return time
  return `${time} of ${budgetSeconds} s${seconds > budgetSeconds ? ', OVER ITS BUDGET' : ''}`
}

function reportSlowestFiles() {
  const files = outcomes.flatMap(({ name, files = [] }) => files.map(file => ({ ...file, name })))
  const slowest = files.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST_FILES)
  process.stdout.write('\nThe slowest files:\n')
  for (const { path, seconds, name } of slowest)
    process.stdout.write(`${seconds.toFixed(1).padStart(7)} s ${path} (${name})\n`)
  process.stdout.write(`\nEverything took ${(performance.now() / 1000).toFixed(0)} s.\n`)
}
