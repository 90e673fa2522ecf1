import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../harness/temporary-folder.ts'

const SCRIPT = join(PROJECT, 'deploy', 'install.sh')
const TARGETS = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl']

let folder: TemporaryFolder
let release: string

beforeAll(() => {
  folder = makeTemporaryFolder()
  release = join(folder.path, 'release')
})
afterAll(() => folder.remove())

const run = (command: readonly string[], cwd = folder.path) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, stdin: 'ignore' })
  return { code: exitCode, output: `${stdout}${stderr}` }
}

const install = (prefix: string, ...options: readonly string[]) =>
  run(['sh', SCRIPT, '--from', release, '--prefix', join(folder.path, prefix), '--no-service', ...options])

/** A release whose executable is a script that prints its version. */
function publish(version: string): void {
  run(['mkdir', '-p', release])
  writeFileSync(join(release, 'tollgate'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  for (const target of TARGETS)
    expect(run(['tar', '-czf', `tollgate-${target}.tar.gz`, 'tollgate'], release).code).toBe(0)
  const { output } = run(['sha256sum', ...TARGETS.map(target => `tollgate-${target}.tar.gz`)], release)
  writeFileSync(join(release, 'SHA256SUMS'), output)
}

const installed = (prefix: string) => join(folder.path, prefix, 'bin', 'tollgate')

test('installs the executable, changes nothing the second time, and upgrades', () => {
  publish('1.0.0')
  expect(install('a')).toEqual({
    code: 0,
    output: `Tollgate 1.0.0 is installed: ${installed('a')}\n`,
  })
  expect(statSync(installed('a')).mode & 0o777).toBe(0o755)
  const { mtimeMs } = statSync(installed('a'))
  expect(install('a')).toEqual({ code: 0, output: 'Tollgate 1.0.0 was installed already\n' })
  expect(statSync(installed('a')).mtimeMs).toBe(mtimeMs)

  publish('1.0.1')
  expect(install('a').output).toContain('Tollgate 1.0.1 is installed')
  expect(readFileSync(installed('a'), 'utf8')).toContain('1.0.1')
})

test('installs nothing when the archive does not have its checksum', () => {
  publish('1.0.0')
  const sums = join(release, 'SHA256SUMS')
  writeFileSync(
    sums,
    readFileSync(sums, 'utf8').replace(/^./gm, digit => (digit === '0' ? '1' : '0')),
  )
  const { code, output } = install('b')
  expect(output).toContain('does not have the checksum of SHA256SUMS')
  expect(code).toBe(1)
  expect(statSync(installed('b'), { throwIfNoEntry: false })).toBeUndefined()
})

test.each([
  [
    'an archive that is not listed',
    () => writeFileSync(join(release, 'SHA256SUMS'), ''),
    /does not list tollgate-linux/,
  ],
  ['a folder without a release', () => run(['rm', '-r', release]), /there is no .+SHA256SUMS/],
])('names the reason for %s', (_, prepare, reason) => {
  publish('1.0.0')
  prepare()
  const { code, output } = install('c')
  expect(output).toMatch(reason)
  expect(code).toBe(1)
})

test.each([
  [['--from', 'http://example.test/x'], /--from needs an https address or a folder/],
  [['--prefix'], /--prefix needs a value/],
  [['--force'], /unknown option --force/],
])('rejects %j', (options, reason) => {
  publish('1.0.0')
  const { code, output } = install('d', ...options)
  expect(output).toMatch(reason)
  expect(code).toBe(1)
})
