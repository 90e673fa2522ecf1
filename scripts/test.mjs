import { runChecks } from './lib/checks.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { pathSuites, suiteStages } from './lib/suites.mjs'

const USAGE = `
Usage: npm test [-- [--postgres] PATH…]

Without a path: every check and every suite (unit, PostgreSQL, vendors, SDKs, browser, crashes, load).
With paths of test files or folders: only those, without the checks.

  npm test -- server/ledger                 the tests below a folder
  npm test -- server/relay/pipeline.test.ts one file
  npm test -- --postgres server/db          on a PostgreSQL that comes with the project

The last line is "N passed, N failed"; the exit code is 1 when anything failed.
`

const outcomes = []

await main(USAGE, async args => {
  await attempt('set-up', async () => {
    await install()
    return { passed: 1, failed: 0, output: '' }
  })
  if (args.length === 0) await runEverything()
  else await runInTurn(pathSuites(args))
  const sum = key => outcomes.reduce((total, outcome) => total + outcome[key], 0)
  process.stdout.write(`\n${sum('passed')} passed, ${sum('failed')} failed\n`)
  return sum('failed') === 0 ? 0 : 1
})

async function runEverything() {
  await runChecks(({ name, isPassed, ...rest }) =>
    report({ name: `check: ${name}`, passed: Number(isPassed), failed: Number(!isPassed), ...rest }),
  )
  for (const tracks of suiteStages()) await Promise.all(tracks.map(runInTurn))
}

async function runInTurn(suites) {
  for (const { name, run } of suites) await attempt(name, run)
}

/** Runs a suite; one that cannot run counts as failed. */
async function attempt(name, run) {
  const startedAt = performance.now()
  const secondsSince = () => (performance.now() - startedAt) / 1000
  try {
    report({ name, seconds: secondsSince(), ...(await run()) })
  } catch (error) {
    report({ name, passed: 0, failed: 1, output: error.stack, seconds: secondsSince() })
  }
}

function report(outcome) {
  const { name, passed, failed, output, seconds } = outcome
  outcomes.push(outcome)
  if (failed > 0) process.stdout.write(`\n${output}\n`)
  process.stdout.write(
    `${failed === 0 ? 'ok    ' : 'FAILED'} ${name}: ${passed} passed, ${failed} failed (${seconds.toFixed(1)} s)\n`,
  )
}
