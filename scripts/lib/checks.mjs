import { existsSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'
import { runCaptured } from './run-captured.mjs'

const packageFile = (...parts) => inProject('node_modules', ...parts)

/** The roots that hold code; a root that does not exist yet is left out where a tool would stumble over it. */
const CODE_ROOTS = ['contract', 'server', 'console', 'tests', 'bench', 'scripts']

/** Every check by name: the program and its arguments. All of them stand alone, so they run side by side. */
const checks = () => ({
  'format and lint': [
    process.execPath,
    [
      packageFile('@biomejs', 'biome', 'bin', 'biome'),
      'check',
      '--error-on-warnings',
      '--max-diagnostics=100',
      '.',
    ],
  ],
  types: [process.execPath, [packageFile('@typescript', 'native', 'bin', 'tsc'), '-p', '.']],
  arrows: [
    process.execPath,
    [
      packageFile('dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      ...CODE_ROOTS.filter(root => existsSync(inProject(root))),
    ],
  ],
  'dead code': [
    process.execPath,
    [packageFile('knip', 'bin', 'knip.js'), '--no-progress', '--treat-config-hints-as-errors'],
  ],
  tidy: [findBun(), ['test', './tests/tidy/']],
  budgets: [process.execPath, [inProject('scripts', 'check-budgets.mjs')]],
})

/** Runs every check and calls `report` as each one ends. Gives the outcomes in a fixed order. */
export function runChecks(report) {
  return Promise.all(
    Object.entries(checks()).map(async ([name, [command, args]]) => {
      const { code, output, seconds } = await runCaptured(command, args)
      const outcome = { name, isPassed: code === 0, output, seconds }
      report(outcome)
      return outcome
    }),
  )
}
