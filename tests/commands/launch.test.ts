import { afterEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import project from '../../package.json' with { type: 'json' }
import { freePort } from '../harness/free-port.ts'
import { PROJECT } from '../harness/program.ts'
import { respondsOk } from '../harness/start-gateway.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'

const SECOND_START_MS_MAX = 2_000
const START_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 20_000
const BAD_USAGE = 2

const folders: TemporaryFolder[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove()
})

test('npm start prints the address and, once, a root password, and exits with 0 on SIGTERM', async () => {
  const dataDir = newFolder()
  const first = await start({ DATA_DIR: dataDir })
  expect(first.output).toContain(`http://localhost:${first.port}`)
  expect(first.output).toMatch(/root with the password \S+/)
  expect(first.code).toBe(0)

  const second = await start({ DATA_DIR: dataDir })
  expect(second.output).not.toContain('password')
  expect(second.readyAfterMs).toBeLessThan(SECOND_START_MS_MAX)
  expect(second.code).toBe(0)
})

test('a signal to npm stops the gateway that npm start started', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/readyz`
  const npm = Bun.spawn(['npm', 'start'], {
    cwd: PROJECT,
    env: { ...process.env, DATA_DIR: newFolder(), PORT: String(port) },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await waitUntil({ description: 'readiness', timeoutMs: START_TIMEOUT_MS }, () => respondsOk(url))
  npm.kill('SIGTERM')
  await waitUntil(
    { description: 'the end', timeoutMs: STOP_TIMEOUT_MS },
    async () => !(await respondsOk(url)),
  )
})

test('an invalid variable prevents the start with a message that names it', async () => {
  const { code, output } = await run(['scripts/start.mjs'], { DATA_DIR: newFolder(), PORT: 'http' })
  expect(output).toContain('PORT must be a whole number')
  expect(code).toBe(1)
})

test('rejects an unknown command and lists the known ones', async () => {
  const { code, output } = await run(['scripts/tollgate.mjs', 'sell'], {})
  expect(output).toContain('root-password')
  expect(code).toBe(BAD_USAGE)
})

test('rejects unknown arguments and points to the environment variables', async () => {
  const { code, output } = await run(['scripts/tollgate.mjs', 'verify', '--port', '8080'], {
    DATA_DIR: newFolder(),
  })
  expect(output).toContain('tollgate verify takes no arguments, found "--port"')
  expect(output).toContain('README.md')
  expect(code).toBe(BAD_USAGE)
})

test.each([
  [['--help'], 'root-password'],
  [['verify', '--help'], 'Usage: tollgate verify'],
  [['lab', '-h'], 'tollgate lab [--port N]'],
  [['--version'], project.version],
  [['serve', '--version'], project.version],
])('tollgate %j prints what it asks for and does nothing else', async (args, expected) => {
  const { code, output } = await run(['scripts/tollgate.mjs', ...args], { DATA_DIR: newFolder() })
  expect(output).toContain(expected)
  expect(code).toBe(0)
})

test('tollgate works from any folder', async () => {
  const { code, output } = await run([join(PROJECT, 'scripts/tollgate.mjs'), 'help'], {}, newFolder())
  expect(output).toContain('verify')
  expect(code).toBe(0)
})

test('editors and debuggers find the Bun binary in node_modules/.bin after the set-up', async () => {
  const bun = Bun.spawn([join(PROJECT, 'node_modules/.bin/bun'), '--version'], { stdout: 'pipe' })
  expect((await new Response(bun.stdout).text()).trim()).toBe(project.dependencies.bun)
})

/** Starts the gateway as `npm start` does, waits until it is ready and stops it. */
async function start(environment: Readonly<Record<string, string>>) {
  const port = await freePort()
  const startedAt = performance.now()
  const launcher = spawn(['scripts/start.mjs'], { ...environment, PORT: String(port) })
  const state = await waitUntil({ description: 'readiness', timeoutMs: START_TIMEOUT_MS }, async () => {
    if (launcher.exitCode !== null) return 'ended'
    return (await respondsOk(`http://127.0.0.1:${port}/readyz`)) ? 'ready' : undefined
  })
  expect(state).toBe('ready')
  const readyAfterMs = performance.now() - startedAt
  launcher.kill('SIGTERM')
  const [output, code] = await Promise.all([new Response(launcher.stdout).text(), launcher.exited])
  return { port, readyAfterMs, output, code }
}

async function run(args: readonly string[], environment: Readonly<Record<string, string>>, cwd = PROJECT) {
  const program = spawn(args, environment, cwd)
  const [output, errors, code] = await Promise.all([
    new Response(program.stdout).text(),
    new Response(program.stderr).text(),
    program.exited,
  ])
  return { code, output: output + errors }
}

function spawn(args: readonly string[], environment: Readonly<Record<string, string>>, cwd = PROJECT) {
  return Bun.spawn(['node', ...args], {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function newFolder(): string {
  const folder = makeTemporaryFolder()
  folders.push(folder)
  return folder.path
}
