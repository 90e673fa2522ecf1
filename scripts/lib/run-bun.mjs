import { findBun } from './bun-binary.mjs'
import { inProject } from './project.mjs'
import { run } from './run.mjs'

/** The most that Bun takes. With its default of 256, slow streams wait for each other. */
export const HTTP_REQUESTS_MAX = '65336'

/** Runs Bun in the foreground and gives its exit code. */
export const runBun = (args, { env, ...options } = {}) =>
  run(findBun(), args, { ...options, env: { BUN_CONFIG_MAX_HTTP_REQUESTS: HTTP_REQUESTS_MAX, ...env } })

/** Runs the gateway's program with a verb and its arguments, in the folder where it was called. */
export const runTollgate = args => runBun([inProject('server', 'main.ts'), ...args], { cwd: process.cwd() })
