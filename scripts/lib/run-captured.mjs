import { spawn } from 'node:child_process'
import { ROOT } from './project.mjs'

const TIMED_OUT_CODE = 124

/**
 * Runs a program and captures stdout and stderr in one text. After `timeoutMs` it is killed and its code is 124.
 * A program that cannot be started has code 1.
 */
export function runCaptured(command, args, { env = {}, timeoutMs = 0, ...options } = {}) {
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', piece => {
      output += piece
    })
  }
  return new Promise(resolve => {
    const finish = code => {
      clearTimeout(timer)
      resolve({ code, output, seconds: (performance.now() - startedAt) / 1000 })
    }
    const onTimeout = () => {
      child.kill('SIGKILL')
      finish(TIMED_OUT_CODE)
    }
    const timer = timeoutMs > 0 ? setTimeout(onTimeout, timeoutMs) : undefined
    child.once('error', error => {
      output += `${command}: ${error.message}\n`
      finish(1)
    })
    child.once('close', code => finish(code ?? 1))
  })
}
