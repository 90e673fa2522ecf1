import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runNode } from './lib/run.mjs'
import { runBun } from './lib/run-bun.mjs'

const USAGE = `
Usage: npm run dev

Serves the gateway with the fault lab at /lab, and the console with hot reload on http://localhost:5173.
The gateway restarts when its code changes. Ctrl-C stops both; when one exits, the other is stopped.
A new database is filled with a month of sample data first.
`

const DATA_DIR = process.env.DATA_DIR ?? inProject('data', 'dev')

/** Applies to a new database; an existing one keeps its password. */
const ROOT_PASSWORD = process.env.ROOT_PASSWORD ?? 'tollgate-dev'
/** Lets the gateway fetch the lab's images, since it rejects local addresses by default. */
const EGRESS_ALLOWED = process.env.EGRESS_ALLOWED ?? '127.0.0.1'
const DEVELOPMENT = { TOLLGATE_DEV: '1', ROOT_PASSWORD, DATA_DIR, EGRESS_ALLOWED }

await main(USAGE, async () => {
  await install()
  const dataCode = await runBun([inProject('scripts', 'dev-data.ts')], { env: DEVELOPMENT })
  if (dataCode !== 0) return dataCode
  process.stdout.write(
    `Console: http://localhost:5173 (user root, password ${ROOT_PASSWORD}). Fault lab: /lab\n`,
  )
  const stopping = new AbortController()
  const programs = [runGateway(stopping.signal), runVite(stopping.signal)]
  const code = await Promise.race(programs)
  stopping.abort()
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
