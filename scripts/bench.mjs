import { buildExecutable } from './lib/build-executable.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

/** The benchmarks, each a file in `bench`. `all` runs them in this order, those that need a quiet machine first. */
const MODES = [
  'main',
  'peers',
  'streams',
  'open-streams',
  'busy-streams',
  'failing-channel',
  'logs',
  'analytics',
  'faults',
  'crash',
  'failover',
  'patroni',
  'valkey',
  'attack',
]
/** Benchmarks of the executable, as operators run it. The others run the sources. */
const EXECUTABLE_MODES = ['main', 'peers', 'streams', 'open-streams', 'busy-streams']

const USAGE = `
Usage: npm run bench [-- MODE] [options]

Without a mode, compares the gateway with its peers in one run (--quick: one minute instead of ten).
Modes: ${MODES.join(', ')}, or all. docs/operations/performance.md explains them.
`

await main(USAGE, async args => {
  const [first, ...rest] = args
  await install()
  if (first === 'all') return measureAll()
  return MODES.includes(first) ? measure(first, rest) : measure('main', args)
})

/** Runs all benchmarks, even when some fail. Returns 1 when any missed its limits. */
async function measureAll() {
  const codes = {}
  for (const mode of MODES) {
    process.stdout.write(`\n${mode}\n\n`)
    codes[mode] = await measure(mode, [])
  }
  process.stdout.write('\n')
  for (const [mode, code] of Object.entries(codes))
    process.stdout.write(`${code === 0 ? 'met    ' : 'NOT MET'} ${mode}\n`)
  return Object.values(codes).every(code => code === 0) ? 0 : 1
}

async function measure(mode, options) {
  const code = EXECUTABLE_MODES.includes(mode) ? await buildExecutable() : 0
  return code || runBun([inProject('bench', `${mode}.ts`), ...options])
}
