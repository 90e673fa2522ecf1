import { buildExecutable } from './lib/build-executable.mjs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

/** What can be measured, each a file of its own in `bench`, in the order in which `all` does it: what wants a quiet machine first. */
const MODES = ['main', 'streams', 'failing-channel', 'logs', 'faults', 'crash']
/** These measure what the executable costs, as operators run it; the others run the sources, as the tests do. */
const MODES_OF_EXECUTABLE = ['main', 'streams']

const USAGE = `
Usage: npm run bench [-- MODE] [options]

Without a mode: gateway and peers side by side in one run (--quick: one minute instead of ten).
Modes: ${MODES.join(', ')}, or all. docs/operations/performance.md says what each measures.
`

await main(USAGE, async args => {
  const [first, ...rest] = args
  await install()
  if (first === 'all') return measureAll()
  return MODES.includes(first) ? measure(first, rest) : measure('main', args)
})

/** One after the other, whatever becomes of the others; 1 when any missed what it promises. */
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
  const code = MODES_OF_EXECUTABLE.includes(mode) ? await buildExecutable() : 0
  return code || runBun([inProject('bench', `${mode}.ts`), ...options])
}
