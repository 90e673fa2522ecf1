import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import project from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { PROJECT } from '../harness/program.ts'
import advisories from './advisories.json' with { type: 'json' }

const RUNTIME_DEPENDENCIES_MAX = 12
const entries: readonly [string, Entry][] = Object.entries(lock.packages)

test('the server depends on at most twelve packages', () => {
  expect(Object.keys(project.dependencies).length).toBeLessThanOrEqual(RUNTIME_DEPENDENCIES_MAX)
})

test('every dependency is pinned to an exact version', () => {
  const versions = Object.entries({ ...project.dependencies, ...project.devDependencies })
  expect(
    versions.filter(([, version]) => !/^(npm:(@[\w-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  ).toEqual([])
})

test('the lock file names no registry host and has a hash for every package', () => {
  expect(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')).not.toContain('"resolved"')
  const unhashed = entries.filter(([path, { integrity, inBundle }]) => path !== '' && !integrity && !inBundle)
  expect(unhashed.map(([path]) => path)).toEqual([])
})

test('the lock file contains every dependency for every platform', () => {
  const missing = entries.flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter(name => !isHeld(path, name))
      .map(name => `${path} needs ${name}`),
  )
  expect(missing).toEqual([])
})

test('a release can list the packages: npm finds none that another one does not accept', async () => {
  const { exitCode, stderr } = await Bun.$`npm sbom --sbom-format=cyclonedx --package-lock-only`
    .cwd(PROJECT)
    .quiet()
    .nothrow()
  expect(stderr.toString()).not.toContain('npm error')
  expect(exitCode).toBe(0)
})

/** Stored advisories, for machines whose registry has no audit; the release asks the registry, too. */
test('no package has a known vulnerability that nobody has accepted', () => {
  const found = entries.flatMap(([path, entry]) => {
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return advisories
      .filter(advisory => advisory.package === name && isWithin(entry, advisory.vulnerable))
      .map(({ id, accepted }) => ({ id, name, isAccepted: accepted !== undefined }))
  })
  expect(found.filter(({ isAccepted }) => !isAccepted)).toEqual([])
  const unused = advisories.filter(
    ({ id, accepted }) => accepted && !found.some(advisory => advisory.id === id),
  )
  expect(unused).toEqual([])
})

const isWithin = ({ version = '' }: Entry, range: string): boolean => Bun.semver.satisfies(version, range)

interface Entry {
  readonly name?: string
  readonly version?: string
  readonly integrity?: string
  readonly inBundle?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Looks for a package where Node would: below the one that needs it, then one level up, and so on. */
function isHeld(path: string, name: string): boolean {
  if (`${path}/node_modules/${name}`.replace(/^\//, '') in lock.packages) return true
  if (path === '') return false
  return isHeld(path.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, ''), name)
}
