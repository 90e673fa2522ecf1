import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'

/**
 * What Bun reads before the program runs: the most requests at once that it takes (with its default of 256, slow streams
 * wait for each other), and how long freed memory may wait before the system gets it back (its default of 100 ms costs a
 * busy gateway a tenth of its CPU).
 */
export const RUNTIME = { BUN_CONFIG_MAX_HTTP_REQUESTS: '65336', MIMALLOC_PURGE_HOLES_MIN_INTERVAL: '2000' }

/** Runs Bun in the foreground and gives its exit code. */
export const runBun = (args, { env, ...options } = {}) =>
  run(findBun(), args, { ...options, env: { ...RUNTIME, ...env } })

/** Runs the gateway's program with a verb and its arguments, in the folder where it was called. */
export const runTollgate = args => runBun([inProject('server', 'main.ts'), ...args], { cwd: process.cwd() })
