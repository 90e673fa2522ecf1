import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { ROOT } from './project.mjs'

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const PARENT_CHECK_MS = 250

/**
 * Runs a program in the foreground. Returns its exit code, or 128 + n when signal n ended it.
 * Signals to this process are forwarded, and the program decides when to exit. Aborting `until` sends it SIGTERM.
 */
export function run(command, args, { cwd = ROOT, env = {}, until, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit', ...options })
    const stopForwarding = forwardSignals(child)
    until?.addEventListener('abort', () => child.kill('SIGTERM'))
    child.once('error', error => {
      stopForwarding()
      reject(new Error(`cannot start ${command}: ${error.message}`, { cause: error }))
    })
    child.once('exit', (code, signal) => {
      stopForwarding()
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}

/** Runs a Node program, such as `node_modules/vite/bin/vite.js`. */
export const runNode = (file, args, options) => run(process.execPath, [file, ...args], options)

function forwardSignals(child) {
  const listeners = FORWARDED_SIGNALS.map(signal => [signal, () => forward(child, signal)])
  for (const [signal, listener] of listeners) process.on(signal, listener)
  const stopWatching = watchNpm(() => child.kill('SIGTERM'))
  return () => {
    stopWatching()
    for (const [signal, listener] of listeners) process.off(signal, listener)
  }
}

/**
 * npm runs scripts in a shell, and a signal to npm ends that shell without reaching this process.
 * A change of the parent process therefore counts as the signal.
 */
function watchNpm(onEnd) {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onEnd()
  }, PARENT_CHECK_MS)
  return () => clearInterval(timer)
}

/** A terminal sends Ctrl-C to the whole foreground process group, so forwarding it would deliver it twice. */
function forward(child, signal) {
  const isFromTerminal = signal === 'SIGINT' && process.stdin.isTTY
  if (!isFromTerminal) child.kill(signal)
}
