import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import project from '../../package.json' with { type: 'json' }
import { freePort } from '../harness/free-port.ts'
import { PROJECT } from '../harness/program.ts'
import { makeTemporaryFolder } from '../harness/temporary-folder.ts'
import { FIRST_RESPONSE_MS_MAX, firstResponse, outputOf, RELEASE, ROOT_PASSWORD } from './release.ts'

test('the npm packages install in an empty folder without a build and give a first response within 60 s', async () => {
  const folder = makeTemporaryFolder()
  const home = join(folder.path, 'home')
  mkdirSync(home)
  const platform = await platformPackage()
  const tarballs = [`tollgate-${platform}-${project.version}.tgz`, `tollgate-${project.version}.tgz`]
  expect(readdirSync(join(RELEASE, 'npm'))).toEqual(expect.arrayContaining(tarballs))

  const startedAt = performance.now()
  const paths = tarballs.map(name => join(RELEASE, 'npm', name))
  await outputOf([npm(), 'install', '--offline', '--no-audit', '--no-fund', ...paths], home)
  const port = await freePort()
  const program = Bun.spawn(['node', join('node_modules', 'tollgate', 'bin', 'tollgate.mjs')], {
    cwd: home,
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', ROOT_PASSWORD },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  expect(await firstResponse(`http://127.0.0.1:${port}`)).toBe(200)
  expect(performance.now() - startedAt).toBeLessThan(FIRST_RESPONSE_MS_MAX)
  expect(readdirSync(join(home, 'data'))).toContain('tollgate.db')

  program.kill('SIGTERM')
  const code = await program.exited
  // Windows has no signals: the program ends at once.
  if (process.platform !== 'win32') expect(code).toBe(0)
  folder.remove()
})

const npm = () => (process.platform === 'win32' ? 'npm.cmd' : 'npm')

/** The target of this machine, as the launcher finds it. */
const platformPackage = () =>
  outputOf(
    [
      'node',
      '--input-type=module',
      '--eval',
      `const { targetName } = await import('./scripts/release/targets.mjs')
       const { isMusl } = await import('./scripts/lib/bun-binary.mjs')
       process.stdout.write(targetName(process.platform, process.arch, isMusl()))`,
    ],
    PROJECT,
  )
