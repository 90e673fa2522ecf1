import { expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { getLogFacets } from '#features/logs/contract/logs.ts'
import project from '../../package.json' with { type: 'json' }
import { signIn } from '../harness/api-client.ts'
import { freePort } from '../harness/free-port.ts'
import { EXECUTABLE, PROJECT } from '../harness/program.ts'
import { respondsOk } from '../harness/start-gateway.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'

const START_TIMEOUT_MS = 120_000
const ROOT_PASSWORD = 'root-of-the-test'

test('npm run build writes one self-contained executable', async () => {
  const built = Bun.spawn(['node', 'scripts/build.mjs'], {
    cwd: PROJECT,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await built.exited).toBe(0)

  const folder = makeTemporaryFolder()
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  copyFileSync(EXECUTABLE, join(folder.path, 'tollgate'))
  const program = Bun.spawn([join(folder.path, 'tollgate'), 'serve'], {
    cwd: folder.path,
    env: { PORT: String(port), ROOT_PASSWORD },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await waitUntil({ description: 'readiness', timeoutMs: START_TIMEOUT_MS }, () =>
    respondsOk(`${url}/readyz`),
  )
  const page = await fetch(`${url}/`).then(response => response.text())
  const [script] = page.match(/\/assets\/[^"]+\.js/) ?? []
  expect(await respondsOk(`${url}${script}`)).toBe(true)
  expect(await fetch(`${url}/docs/guides/getting-started.md`).then(reply => reply.text())).toContain(
    'npm start',
  )
  expect(await fetch(`${url}/api/status`).then(response => response.json())).toMatchObject({ success: true })
  const root = await signIn(url, { username: 'root', password: ROOT_PASSWORD })
  expect(await root.call(getLogFacets)).toMatchObject({ models: [] })
  const executable = join(folder.path, 'tollgate')
  const readiness = await outputOf(['env', `PORT=${port}`, executable, 'doctor', '--ready'], folder.path)
  expect(readiness).toBe('ready\n')
  program.kill('SIGTERM')
  expect(await program.exited).toBe(0)

  expect(await outputOf([executable, '--version'])).toBe(`${project.version}\n`)
  expect(await outputOf([executable, '--help'])).toContain('root-password')
  expect(await outputOf([executable, 'lab', '--help'])).toContain('tollgate lab [--port N]')
  folder.remove()
})

test('the launcher of the npm package names the missing package of the platform', async () => {
  const script = join(PROJECT, 'scripts', 'release', 'launcher.mjs')
  const program = Bun.spawn(['node', script, '--version'], { stdio: ['ignore', 'ignore', 'pipe'] })
  expect(await new Response(program.stderr).text()).toContain(`@tollgate/${await targetOfThisMachine()}`)
  expect(await program.exited).toBe(1)
})

const targetOfThisMachine = () =>
  runScript(
    `const { targetName } = await import('./scripts/release/targets.mjs')
     const { isMusl } = await import('./scripts/lib/bun-binary.mjs')
     process.stdout.write(targetName(process.platform, process.arch, isMusl()))`,
    [],
  )

/** Runs a module of Node in the project's folder and returns what it prints. */
const runScript = (script: string, args: readonly string[]) =>
  outputOf(['node', '--input-type=module', '--eval', script, '--', ...args])

/** Output of a command that exits with 0. */
async function outputOf(command: readonly string[], cwd = PROJECT): Promise<string> {
  const program = Bun.spawn([...command], { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, code] = await Promise.all([new Response(program.stdout).text(), program.exited])
  expect(code).toBe(0)
  return output
}
