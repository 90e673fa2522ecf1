import { spawn } from 'node:child_process'
import { ROOT } from './project.mjs'

/**
 * Runs a program and keeps what it prints, both outputs in one text. `onOutput` sees it while it comes.
 * Past `timeoutMs` the program is killed and its code is 124.
 */
export function runCaptured(command, args, { env = {}, timeoutMs, onOutput = () => undefined } = {}) {
  const { promise, resolve } = deferred()
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pieces = []
  const keep = piece => {
    pieces.push(piece)
    onOutput(piece)
  }
  const end = code => {
    clearTimeout(timer)
    const seconds = (performance.now() - startedAt) / 1000
    resolve({ code, output: Buffer.concat(pieces).toString('utf8'), seconds })
  }
  let isLate = false
  const timer = timeoutMs && setTimeout(() => (isLate = child.kill('SIGKILL')), timeoutMs)
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  child.once('error', error => end(keep(Buffer.from(`${command}: ${error.message}\n`)) ?? 1))
  child.once('close', code => end(isLate ? 124 : (code ?? 1)))
  return promise
}

function deferred() {
  let resolve
  const promise = new Promise(settle => {
    resolve = settle
  })
  return { promise, resolve }
}
