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

const DATA_DIR = process.env.DATA_DIR ?? inProject('data', 'dev')

/** Printed, since the console asks for it; a database that somebody made otherwise keeps its own password. */
const ROOT_PASSWORD = process.env.ROOT_PASSWORD ?? 'tollgate-dev'
/** The lab's images are on this machine, which safe fetch would reject. */
const EGRESS_ALLOWED = process.env.EGRESS_ALLOWED ?? '127.0.0.1'
const DEVELOPMENT = { TOLLGATE_DEV: '1', ROOT_PASSWORD, DATA_DIR, EGRESS_ALLOWED }

await main(USAGE, async () => {
  await install()
  await runBun([inProject('scripts', 'dev-data.ts')], { env: DEVELOPMENT })
  process.stdout.write(
    `The console with reload: http://localhost:5173 (root, ${ROOT_PASSWORD}); the fault lab: /lab\n`,
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
  return runBun(args, { until, env: DEVELOPMENT })
}

function runVite(until) {
  return runNode(inProject('node_modules', 'vite', 'bin', 'vite.js'), ['--clearScreen', 'false'], { until })
}
