import { readFileSync } from 'node:fs'
import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'

/**
 * Environment variables that Bun reads at startup:
 *
 * - `BUN_CONFIG_MAX_HTTP_REQUESTS` raises the limit of concurrent upstream requests. At the default of 256, slow streams wait
 *   for each other.
 * - `BUN_JSC_forceCodeBlockLiveness` keeps compiled code. By default, code that has not run for a while is dropped, and the
 *   next requests run slowly until it is compiled again.
 * - `BUN_JSC_heapGrowthMaxIncrease` limits the heap to twice its content between collections instead of three times.
 * - `BUN_JSC_useWarmUpMarkedBlocks` disables the thread that touches memory in advance.
 */
export const RUNTIME_SETTINGS = JSON.parse(
  readFileSync(inProject('scripts', 'lib', 'runtime-settings.json'), 'utf8'),
)

/** Runs Bun in the foreground. Returns its exit code. */
export const runBun = (args, { env, ...options } = {}) =>
  run(findBun(), args, { ...options, env: { ...RUNTIME_SETTINGS, ...env } })

/** Runs the `tollgate` command line in the current folder. Returns its exit code. */
export const runTollgate = args => runBun([inProject('server', 'main.ts'), ...args], { cwd: process.cwd() })
