import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'
import { runtimeSettings } from './runtime-settings.mjs'

/** Runs Bun in the foreground. Returns its exit code. */
export const runBun = (args, { env, ...options } = {}) =>
  run(findBun(), args, { ...options, env: { ...runtimeSettings(), ...env } })

/** Runs the `tollgate` command line in the current folder. Returns its exit code. */
export const runTollgate = args => runBun([inProject('server', 'main.ts'), ...args], { cwd: process.cwd() })
