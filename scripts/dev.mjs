import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runNode } from './lib/run.mjs'
import { runBun } from './lib/run-bun.mjs'

const USAGE = `
Usage: npm run dev

Serves the gateway with the fault lab at /lab, restarted when its code changes, and the console with hot reload
on http://localhost:5173. Ctrl-C ends both; when one ends, so does the other.
`

await main(USAGE, async () => {
  await install()
  process.stdout.write(
    'The console with reload: http://localhost:5173, its first channel: the fault lab at /lab\n',
  )
  const ending = new AbortController()
  const programs = [runGateway(ending.signal), runVite(ending.signal)]
  const code = await Promise.race(programs)
  ending.abort()
  await Promise.all(programs)
  return code
})

function runGateway(until) {
  const args = ['--watch', '--no-clear-screen', inProject('server', 'main.ts'), 'serve']
  return runBun(args, { until, env: { TOLLGATE_DEV: '1' } })
}

function runVite(until) {
  return runNode(inProject('node_modules', 'vite', 'bin', 'vite.js'), ['--clearScreen', 'false'], { until })
}
