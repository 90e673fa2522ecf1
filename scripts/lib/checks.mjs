import { existsSync } from 'node:fs'
import { buildConsole } from './build-console.mjs'
import { buildDocs } from './build-docs.mjs'
import { findBun } from './bun-binary.mjs'
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
  'format and lint': () =>
    runPackage(
      ['@biomejs', 'biome', 'bin', 'biome'],
      ['check', '--error-on-warnings', '--max-diagnostics=100'],
    ),
  types: () => runPackage(['@typescript', 'native', 'bin', 'tsc'], ['-p', '.']),
  arrows: () =>
    runPackage(
      ['dependency-cruiser', 'bin', 'dependency-cruise.mjs'],
      [
        '--config',
        '.dependency-cruiser.cjs',
        '--ignore-known',
        '.dependency-cruiser-known-violations.json',
        ...CODE_ROOTS.filter(root => existsSync(inProject(root))),
      ],
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

/** Runs every check and calls `report` as each one ends. Returns the outcomes in a fixed order. */
export function runChecks(report) {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const { code, output, seconds } = await check().catch(failure)
      const outcome = { name, isPassed: code === 0, output, seconds }
      report(outcome)
      return outcome
    }),
  )
}

/** Runs a Node program of an installed package. */
const runPackage = (path, args) =>
  runCaptured(process.execPath, [inProject('node_modules', ...path), ...args])

const failure = error => ({ code: 1, output: error.message, seconds: 0 })
