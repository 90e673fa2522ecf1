import { existsSync } from 'node:fs'
import { buildConsole } from './build-console.mjs'
import { buildDocs } from './build-docs.mjs'
import { findBun } from './bun-binary.mjs'
import { changedFiles } from './changed-files.mjs'
import { inProject } from './project.mjs'
import { runCaptured } from './run-captured.mjs'

const CODE_ROOTS = [
  'contract',
  'server',
  'console',
  'features',
  'tests',
  'bench',
  'scripts',
  'docs/.vitepress',
]

/** Every check by name. They are independent, so they run in parallel. */
const checks = {
  'format and lint': () => runBiome([]),
  types: () => runPackage(['@typescript', 'native', 'bin', 'tsc'], ['-p', '.']),
  arrows: () =>
    runPackage(
      ['dependency-cruiser', 'bin', 'dependency-cruise.mjs'],
      ['--config', '.dependency-cruiser.cjs', ...CODE_ROOTS.filter(root => existsSync(inProject(root)))],
    ),
  'dead code': () =>
    runPackage(['knip', 'bin', 'knip.js'], ['--no-progress', '--treat-config-hints-as-errors']),
  tidy: () => runCaptured(findBun(), ['test', './tests/tidy/', '--only-failures', '--timeout=30000']),
  /** The generator fails for a link that leads to no page. */
  documentation: async () => {
    await buildDocs()
    return { code: 0, output: '', seconds: 0 }
  },
  budgets: async () => {
    await buildConsole()
    return runCaptured(process.execPath, [inProject('scripts', 'check-budgets.mjs')])
  },
}

/** The checks that take seconds. */
const fastChecks = {
  'format and lint': () => runBiome(changedFiles() ?? []),
  types: checks.types,
  tidy: checks.tidy,
}

/**
 * Runs every check, or with `isFast` those that take seconds, and calls `report` as each one ends. Returns the outcomes in a
 * fixed order.
 */
export function runChecks(report, { isFast = false } = {}) {
  return Promise.all(
    Object.entries(isFast ? fastChecks : checks).map(async ([name, check]) => {
      const { code, output, seconds } = await check().catch(failure)
      const outcome = { name, isPassed: code === 0, output, seconds }
      report(outcome)
      return outcome
    }),
  )
}

/** Checks the given files, or all when there are none. Biome skips those that it does not know. */
const runBiome = files =>
  runPackage(
    ['@biomejs', 'biome', 'bin', 'biome'],
    ['check', '--error-on-warnings', '--max-diagnostics=100', '--no-errors-on-unmatched', ...files],
  )

/** Runs a Node program of an installed package. */
const runPackage = (path, args) =>
  runCaptured(process.execPath, [inProject('node_modules', ...path), ...args])

const failure = error => ({ code: 1, output: error.message, seconds: 0 })
