import { expect, test } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { getLogFacets } from '#contract/logs/logs.ts'
import project from '../../package.json' with { type: 'json' }
import { signIn } from '../harness/api-client.ts'
import { freePort } from '../harness/free-port.ts'
import { EXECUTABLE, PROJECT } from '../harness/program.ts'
import { respondsOk } from '../harness/start-gateway.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { waitUntil } from '../harness/wait-until.ts'

const START_TIMEOUT_MS = 50_000

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
    env: { PORT: String(port), ROOT_PASSWORD: 'root-of-the-test' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  await waitUntil({ description: 'readiness', timeoutMs: START_TIMEOUT_MS }, () =>
    respondsOk(`${url}/readyz`),
  )
  const page = await fetch(`${url}/`).then(response => response.text())
  const [script] = page.match(/\/assets\/[^"]+\.js/) ?? []
  expect(await respondsOk(`${url}${script}`)).toBe(true)
  expect(await fetch(`${url}/api/status`).then(response => response.json())).toMatchObject({ success: true })
  const root = await signIn(url, { username: 'root', password: 'root-of-the-test' })
  expect(await root.call(getLogFacets)).toMatchObject({ models: [] })
  program.kill('SIGTERM')
  expect(await program.exited).toBe(0)

  const executable = join(folder.path, 'tollgate')
  expect(await outputOf([executable, '--version'])).toBe(`${project.version}\n`)
  expect(await outputOf([executable, '--help'])).toContain('root-password')
  expect(await outputOf([executable, 'lab', '--help'])).toContain('tollgate lab [--port N]')
  folder.remove()
})

/** Output of a command that exits with 0. */
async function outputOf(command: readonly string[]): Promise<string> {
  const program = Bun.spawn([...command], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, code] = await Promise.all([new Response(program.stdout).text(), program.exited])
  expect(code).toBe(0)
  return output
}
