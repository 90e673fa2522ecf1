import { existsSync } from 'node:fs'
import { install } from './lib/install.mjs'
import { main } from './lib/main.mjs'
import { inProject } from './lib/project.mjs'
import { runBun } from './lib/run-bun.mjs'

const TEST_TIMEOUT_MS = 180_000

const USAGE = `
Usage: npm run test:install [-- NAME…]

Installs the files of dist/release in each way and waits for a first charged response. Run 'npm run release -- --dry' first.
NAME: npm-packages (every platform), systemd-unit and image (root on Debian 12 with systemd's package; they start the
service and the image in namespaces of their own, without changing the machine).
`

await main(USAGE, async names => {
  await install()
  if (!existsSync(inProject('dist', 'release', 'assets')))
    throw new Error("there is no dist/release: run 'npm run release -- --dry' first")
  const files = names.length > 0 ? names.map(name => `./tests/install/${name}.test.ts`) : ['./tests/install/']
  const missing = files.find(file => !existsSync(inProject(file)))
  if (missing) throw new Error(`there is no ${missing}`)
  return runBun(['test', ...files, `--timeout=${TEST_TIMEOUT_MS}`])
})
