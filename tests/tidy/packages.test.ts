import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import project from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { PROJECT } from '../harness/program.ts'

const RUNTIME_DEPENDENCIES_MAX = 12
const RUNTIMES = [
  'linux-x64',
  'linux-aarch64',
  'linux-x64-musl',
  'linux-aarch64-musl',
  'darwin-x64',
  'darwin-aarch64',
  'windows-x64',
]

test('at most twelve packages are needed at run time', () => {
  expect(Object.keys(project.dependencies).length).toBeLessThanOrEqual(RUNTIME_DEPENDENCIES_MAX)
})

test('every version is pinned exactly', () => {
  const versions = Object.entries({ ...project.dependencies, ...project.devDependencies })
  expect(
    versions.filter(([, version]) => !/^(npm:(@[\w-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)),
  ).toEqual([])
})

test('the lock file names no host and every package by its hash', () => {
  expect(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')).not.toContain('"resolved"')
  const { '': _project, ...packages } = lock.packages
  expect(
    Object.entries(packages)
      .filter(([, entry]) => !('integrity' in entry))
      .map(([path]) => path),
  ).toEqual([])
})

test('the lock file holds the runtime of every platform', () => {
  const { bun } = project.dependencies
  const named = Object.entries(lock.packages)
    .filter(([, { version }]) => version === bun)
    .map(([path]) => path)
  expect(named).toEqual(
    expect.arrayContaining(RUNTIMES.map(platform => `node_modules/@oven/bun-${platform}`)),
  )
})
