import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../harness/program.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../harness/temporary-folder.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const PUBLIC_KEY = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/
const SCRIPT = readFileSync(join(PROJECT, 'deploy', 'install.sh'), 'utf8').replace(
  PUBLIC_KEY,
  publicKey.export({ type: 'spki', format: 'pem' }).toString().trim(),
)
const TARGETS = ['linux-x64', 'linux-arm64', 'linux-x64-musl', 'linux-arm64-musl']

let folder: TemporaryFolder
let release: string
let script: string

beforeAll(() => {
  folder = makeTemporaryFolder()
  release = join(folder.path, 'release')
  script = join(folder.path, 'install.sh')
  writeFileSync(script, SCRIPT)
})
afterAll(() => folder.remove())

const run = (command: readonly string[], cwd = folder.path) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, stdin: 'ignore' })
  return { code: exitCode, output: `${stdout}${stderr}` }
}

const install = (prefix: string, ...options: readonly string[]) =>
  run(['sh', script, '--from', release, '--prefix', join(folder.path, prefix), '--no-service', ...options])

/** A release whose executable is a script that prints its version. */
function publish(version: string): void {
  run(['mkdir', '-p', release])
  writeFileSync(join(release, 'tollgate'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  for (const target of TARGETS)
    expect(run(['tar', '-czf', `tollgate-${target}.tar.gz`, 'tollgate'], release).code).toBe(0)
  const { output } = run(['sha256sum', ...TARGETS.map(target => `tollgate-${target}.tar.gz`)], release)
  writeFileSync(join(release, 'SHA256SUMS'), output)
  signWith(privateKey)
}

const signWith = (key: KeyObject) =>
  writeFileSync(join(release, 'SHA256SUMS.sig'), sign(null, readFileSync(join(release, 'SHA256SUMS')), key))

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
  signWith(privateKey)
  const { code, output } = install('b')
  expect(output).toContain('does not have the checksum of SHA256SUMS')
  expect(code).toBe(1)
  expect(statSync(installed('b'), { throwIfNoEntry: false })).toBeUndefined()
})

const addSpace = () => {
  const sums = join(release, 'SHA256SUMS')
  writeFileSync(sums, `${readFileSync(sums, 'utf8')}\n`)
}

test.each([
  [
    'another key has signed',
    () => signWith(generateKeyPairSync('ed25519').privateKey),
    /not signed with the key/,
  ],
  ['the checksums were changed after that', addSpace, /not signed with the key/],
  [
    'the signature is empty',
    () => writeFileSync(join(release, 'SHA256SUMS.sig'), ''),
    /not signed with the key/,
  ],
  [
    'there is no signature',
    () => run(['rm', join(release, 'SHA256SUMS.sig')]),
    /there is no .+SHA256SUMS.sig/,
  ],
])('installs nothing when %s, unless told to compare checksums only', (_, prepare, reason) => {
  publish('1.0.0')
  prepare()
  const { code, output } = install('signed')
  expect(output).toMatch(reason)
  expect(code).toBe(1)
  expect(statSync(installed('signed'), { throwIfNoEntry: false })).toBeUndefined()
  expect(install('unsigned', '--unsigned').code).toBe(0)
})

test('the key of releases is an Ed25519 key', () => {
  const [key = ''] = PUBLIC_KEY.exec(readFileSync(join(PROJECT, 'deploy', 'install.sh'), 'utf8')) ?? []
  expect(createPublicKey(key).asymmetricKeyType).toBe('ed25519')
})

test.each([
  [
    'an archive that is not listed',
    () => {
      writeFileSync(join(release, 'SHA256SUMS'), '\n')
      signWith(privateKey)
    },
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
